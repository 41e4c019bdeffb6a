// Charts format numbers by the language of the browser as they are loaded. A browser without a
// locale of its system names one that Intl refuses, such as en-US@posix.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true })
}
