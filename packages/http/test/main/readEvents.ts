/** A reader of server-sent events, as a browser's `EventSource` reads them. */
import { Effect } from "effect"
import { get, type IncomingMessage } from "node:http"
import { eventually, type Server } from "./servedBots.ts"

/** An event with data, as it would be dispatched. */
export interface ReadEvent {
  readonly id: string | null
  readonly event: string | null
  readonly data: any
}

/** The events that a reader has got, and whether that was all. */
export interface Reading {
  readonly status: number
  readonly type: string | null
  readonly text: () => string
  readonly events: () => ReadonlyArray<ReadEvent>
  /** The value that the reader would send as `Last-Event-ID`. */
  readonly lastId: () => string
  readonly isOver: () => boolean
  readonly leave: () => void
}

const fieldsOf = (block: string) => {
  const value = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null
  return { id: value("id"), event: value("event"), data: value("data") }
}

/** Reads events of a path until it leaves or is left. */
export const readEvents = (
  { baseUrl, key }: Pick<Server, "baseUrl" | "key">,
  path: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Reading> =>
  Effect.promise(async () => {
    // A connection of its own: what `fetch` keeps open would hold up the end of the server.
    const asked = get(`${baseUrl}${path}`, {
      agent: false,
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...headers }
    })
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve).once("error", reject)
    })
    const life = { text: "", isOver: false }
    response.setEncoding("utf8").on("data", (chunk: string) => (life.text += chunk))
    // One that leaves hears of it as an error.
    response.on("error", () => undefined).once("close", () => (life.isOver = true))
    const blocks = () => life.text.split("\n\n").slice(0, -1).map(fieldsOf)
    return {
      status: response.statusCode!,
      type: response.headers["content-type"] ?? null,
      text: () => life.text,
      events: () =>
        blocks().flatMap(({ data, ...rest }) =>
          data === null ? [] : [{ ...rest, data: JSON.parse(data) }]
        ),
      lastId: () => blocks().findLast(({ id }) => id !== null)?.id ?? "",
      isOver: () => life.isOver,
      leave: () => void asked.destroy()
    }
  })

/** Waits until so many events were read. */
export const heard = (reading: Reading, count: number) =>
  eventually(Effect.sync(reading.events), ({ length }) => length >= count)
