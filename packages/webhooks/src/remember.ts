/**
 * Results of look-ups by text, so that an attempt need not repeat them.
 *
 * Where too many texts are known all are forgotten: it only takes longer then.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"

/** Texts that are known at once. @category constants @since 0.1.0 */
export const rememberedMax = 10_000

const keep = <A>(found: Map<string, A>, text: string, value: A): A => {
  if (found.size >= rememberedMax) found.clear()
  found.set(text, value)
  return value
}

/**
 * Finds out about a text once, with a function that says the same of it every time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const remember = <A>(find: (text: string) => A): ((text: string) => A) => {
  const found = new Map<string, A>()
  return (text) => found.get(text) ?? keep(found, text, find(text))
}

/**
 * The same with an effect, of which only successes are remembered.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rememberSuccess = <A, E, R>(
  find: (text: string) => Effect.Effect<A, E, R>
): ((text: string) => Effect.Effect<A, E, R>) => {
  const found = new Map<string, A>()
  return (text) => {
    const known = found.get(text)
    return known === undefined
      ? Effect.map(find(text), (value) => keep(found, text, value))
      : Effect.succeed(known)
  }
}
