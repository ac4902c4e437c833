// The button that switches between light and dark; the choice is stored in this browser.

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Return the theme that is shown: "light" or "dark". */
export function shownTheme() {
  return root.dataset.theme ?? (dark.matches ? "dark" : "light");
}

/** Call `listener(theme)` now and whenever the theme changes; for scripts that draw their own colours. */
export function onTheme(listener) {
  const tell = () => listener(shownTheme());
  dark.addEventListener("change", tell);
  root.addEventListener("themechange", tell);
  tell();
}

const button = document.querySelector("[data-theme-button]");
if (button) {
  button.hidden = false;
  onTheme((theme) => button.setAttribute("aria-pressed", String(theme === "dark")));
  button.addEventListener("click", () => {
    const theme = shownTheme() === "dark" ? "light" : "dark";
    root.dataset.theme = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // no storage: the choice applies to this page
    }
    root.dispatchEvent(new Event("themechange"));
  });
}
