/**
 * Asks a person to agree before a tool may move money.
 *
 * A client that can ask its user has to. Any other client gets a code, and calls again with that
 * code once the user agrees. A code is of one key, one tool and its exact arguments, for five to
 * ten minutes, in the process that gave it.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Schema } from "effect"
import { type McpSchema, McpServer } from "effect/ai"
import { CallerKeyText, type JsonObject } from "./askApi.ts"
import { ToolRefusal } from "./ToolRefusal.ts"

/** The question to a person. */
interface Question {
  readonly tool: string
  readonly about: JsonObject
  readonly message: string
  /** The code that the caller brings, or undefined. */
  readonly code: string | undefined
}

/** The parts of the request under way that asking a person needs. @category models @since 0.1.0 */
export type ElicitationContext = McpSchema.McpRequestContext | McpSchema.McpServerClient

const windowMs = 300_000
const codeLength = 12

const algorithm = { name: "HMAC", hash: "SHA-256" } as const

/** A key that ends with its process. */
const makeKey = Effect.cached(
  Effect.promise(() =>
    crypto.subtle.importKey("raw", crypto.getRandomValues(new Uint8Array(32)), algorithm, false, [
      "sign"
    ])
  )
)

const processKey = Effect.runSync(makeKey)

const codeOf = Effect.fnUntraced(function* ({ about, tool }: Question, window: number) {
  const caller = yield* CallerKeyText
  const text = JSON.stringify([caller, tool, about, window])
  const key = yield* processKey
  const signed = yield* Effect.promise(() =>
    crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))
  )
  const bytes = Array.from(new Uint8Array(signed), (byte) => byte.toString(16).padStart(2, "0"))
  return bytes.join("").slice(0, codeLength)
})

const Agreement = Schema.Struct({ agree: Schema.Boolean })

const refused = new ToolRefusal({ detail: "The user did not agree, so the tool made no change." })

/** Asks the user of a client that can be asked. */
const elicited = (message: string) =>
  McpServer.elicit({ message, schema: Agreement }).pipe(
    Effect.exit,
    Effect.flatMap((exit) =>
      exit._tag === "Success" && exit.value.agree ? Effect.void : Effect.fail(refused)
    )
  )

/**
 * Goes on once a person has agreed; else fails, with the code that the next call has to bring where
 * the client can't ask.
 *
 * @category combinators
 * @since 0.1.0
 */
export const confirmed = Effect.fnUntraced(function* (
  question: Question
): Effect.fn.Return<void, ToolRefusal, ElicitationContext> {
  const { elicitation } = yield* McpServer.clientCapabilities
  if (elicitation !== undefined) return yield* elicited(question.message)
  const window = Math.floor((yield* Clock.currentTimeMillis) / windowMs)
  const code = yield* codeOf(question, window)
  if (question.code === code) return
  if (question.code === (yield* codeOf(question, window - 1))) return
  return yield* new ToolRefusal({
    detail:
      `confirmation_needed: ${question.message} Ask the user. ` +
      `If the user agrees, call ${question.tool} again with the same arguments and ` +
      `confirm "${code}".`
  })
})
