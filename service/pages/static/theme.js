// Runs before the first paint: the theme that was chosen earlier, and a sign that scripts run.
(() => {
  const root = document.documentElement;
  root.dataset.scripts = "on";
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // no storage: the system's theme stays
  }
})();
