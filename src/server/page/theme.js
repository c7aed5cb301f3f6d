// Light or dark: as the system has it, until the button says otherwise; the choice is kept in this browser.
const KEY = "kirchhoff-theme";

const dark = matchMedia("(prefers-color-scheme: dark)");

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** Sets the page's theme, and lets a button change it. */
export function watchTheme(button) {
  let chosen = stored();
  const apply = () => {
    const theme = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.setAttribute("aria-label", theme === "dark" ? "Change to light colours" : "Change to dark colours");
    button.textContent = theme === "dark" ? "☀" : "☾";
  };
  dark.addEventListener("change", apply);
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // The choice then lasts as long as the page.
    }
    apply();
  });
  apply();
}
