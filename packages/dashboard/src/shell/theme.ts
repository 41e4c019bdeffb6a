/**
 * Dark or light: as the system says, unless somebody chose in this browser.
 */
import { effect, signal } from "@preact/signals"

/** The choice of the user. */
export type Theme = "system" | "dark" | "light"

const place = "candlewick.theme"

const kept = (): Theme => {
  try {
    const value = localStorage.getItem(place)
    return value === "dark" || value === "light" ? value : "system"
  } catch {
    return "system"
  }
}

/** The theme in force. */
export const theme = signal<Theme>(kept())

const system = matchMedia("(prefers-color-scheme: dark)")

/** Whether the page is dark now. */
export const isDark = signal(false)

const apply = (): void => {
  isDark.value = theme.value === "system" ? system.matches : theme.value === "dark"
  document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light"
}

/** Keeps the page in the chosen theme. */
export const applyTheme = (): void => {
  system.addEventListener("change", apply)
  effect(() => {
    apply()
    try {
      localStorage.setItem(place, theme.value)
    } catch {
      // The choice holds until the page is left.
    }
  })
}

/** The next choice: dark, light, and as the system says. */
export const turnTheme = (): void => {
  theme.value = theme.value === "system" ? (isDark.value ? "light" : "dark") : "system"
}

/** The value of a colour of the style sheet. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
