/**
 * What was found out about texts, so that it is not found out again at each attempt.
 *
 * @since 0.1.0
 */

/** Texts that are known at once. @category constants @since 0.1.0 */
export const rememberedMax = 10_000

/**
 * Finds out about a text once, with a function that says the same of it every time. Where too many
 * texts are known all are forgotten: it only takes longer then.
 *
 * @category constructors
 * @since 0.1.0
 */
export const remember = <A>(find: (text: string) => A): ((text: string) => A) => {
  const found = new Map<string, A>()
  return (text) => {
    const known = found.get(text)
    if (known !== undefined) return known
    if (found.size >= rememberedMax) found.clear()
    const made = find(text)
    found.set(text, made)
    return made
  }
}
