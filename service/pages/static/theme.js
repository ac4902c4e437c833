// Runs before the first paint: applies the stored theme, and marks that scripts run.
(() => {
  const root = document.documentElement;
  root.dataset.scripts = "on";
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // no storage: use the system's theme
  }
})();
