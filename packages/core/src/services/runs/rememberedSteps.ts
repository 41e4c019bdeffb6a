/**
 * The results of a run's steps, for a process that takes the run up again.
 *
 * @since 0.1.0
 */
import { Effect, Option, Schema } from "effect"
import type { RunHandle } from "./RunSource.ts"
import { sha256Hex } from "../sha256.ts"

/** The steps of one question. */
export interface RememberedSteps<A> {
  /** The earlier result of a step; none where it had none, or where it asked something else. */
  readonly find: (step: number) => Option.Option<A>
  readonly keep: (step: number, found: A) => Effect.Effect<void>
}

const hashLength = 16

/**
 * The steps of a run that answer this question: candles, rules and everything else that they depend
 * on. A result for another question, because something changed meanwhile, is not used.
 */
export const rememberedSteps = <A, I extends Schema.Json>(
  handle: RunHandle,
  question: unknown,
  schema: Schema.Codec<A, I>
): Effect.Effect<RememberedSteps<A>> => {
  const decode = Schema.decodeUnknownOption(schema)
  const encode = Schema.encodeSync(schema)
  return Effect.map(sha256Hex(JSON.stringify(question)), (hash) => {
    const nameOf = (step: number) => `${hash.slice(0, hashLength)}/${step}`
    return {
      find: (step) =>
        Option.flatMap(Option.fromUndefinedOr(handle.kept.get(nameOf(step))), (found) =>
          decode(found)
        ),
      keep: (step, found) => handle.keep(nameOf(step), encode(found))
    }
  })
}
