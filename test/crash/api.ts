/**
 * Calls of the server that may be killed in the middle of any of them.
 */
import { apiKey, sleep } from "./serverProcess.ts"

/** The fields of answers that this test reads; the path says which of them are there. */
export interface AnswerBody {
  readonly id: string
  readonly name: string
  readonly secret: string
  readonly status: string
  readonly desired_status: string
  readonly cash: number
  readonly trade_count: number
  readonly completed_trials: number
  readonly is_data_ended: boolean
  readonly is_halted: boolean
  readonly open_positions: ReadonlyArray<unknown>
  readonly bots_waiting: ReadonlyArray<string>
  readonly trading_state_reason: string
  readonly code: string
  readonly detail: string
  readonly last_candle_at: string | null
  readonly finished_at: string | null
  readonly updated_at: string
  readonly differences: ReadonlyArray<unknown>
  readonly trades: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
}

export interface CallOptions {
  readonly body?: unknown
  readonly csv?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer | null>

const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED"

/** Calls a server; null where nobody answered, so that it is not known what became of the call. */
export const callsOf = (url: string): Call => callsOfAny(() => [url])

/** Calls the first of these servers that takes the call. */
export const callsOfAny =
  (urls: () => ReadonlyArray<string>): Call =>
  async (method, path, { body, csv, headers } = {}) => {
    for (const url of urls()) {
      try {
        const response = await fetch(`${url}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            ...(csv === undefined ? {} : { "content-type": "text/csv" }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          ...(csv === undefined ? {} : { body: csv }),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(90_000)
        })
        const text = await response.text()
        const { headers: answered, status } = response
        const parsed = (text === "" ? {} : JSON.parse(text)) as AnswerBody
        return { status, headers: answered, body: parsed }
      } catch (error) {
        // Another one may take what never arrived here.
        if (!isRefused(error)) return null
      }
    }
    return null
  }

/** An answer of a server that nobody kills, waiting where it asks for patience. */
export const answerOf = async (
  call: Call,
  method: string,
  path: string,
  options: CallOptions = {}
): Promise<Answer> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answer = await call(method, path, options)
    if (answer !== null && answer.status !== 429 && answer.status !== 503) return answer
    await sleep(500)
  }
  throw new Error(`${method} ${path} was never answered`)
}

/** Every record of a list. */
export const allOf = async <A>(call: Call, path: string): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  let cursor: string | null = null
  do {
    const joint = path.includes("?") ? "&" : "?"
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const { body, status } = await answerOf(call, "GET", `${path}${joint}limit=100${next}`)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
    const page = body as unknown as {
      readonly data: ReadonlyArray<A>
      readonly has_more: boolean
      readonly next_cursor: string | null
    }
    all.push(...page.data)
    cursor = page.has_more ? page.next_cursor : null
  } while (cursor !== null)
  return all
}
