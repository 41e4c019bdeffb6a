/**
 * A language that `Intl` takes.
 *
 * Charts format numbers by `navigator.language` as they are loaded. A browser without a locale of
 * its system names one such as `en-US@posix`, at which that fails.
 */

/** Whether numbers can be formatted in a language. */
export const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** Makes the page English where the browser's language is none. */
export const mendLanguage = (): void => {
  if (isLanguage(navigator.language)) return
  Object.defineProperty(navigator, "language", { value: "en", configurable: true })
}
