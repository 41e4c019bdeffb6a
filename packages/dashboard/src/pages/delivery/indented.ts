/**
 * A body with line breaks.
 */

/** JSON with line breaks; another text as it is. */
export const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
