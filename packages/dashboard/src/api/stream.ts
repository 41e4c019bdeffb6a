/**
 * The one stream of a tab: server-sent events, read with fetch, since an EventSource sends no key.
 *
 * A tab follows the account's events, or a bot's log while that bot is looked at. It reads on after
 * a break from the last number that it heard.
 */
import { signal } from "@preact/signals"
import { RefusedCall, send } from "./call.ts"
import { readEvents, type StreamEvent } from "./readEvents.ts"
import { sessionKey } from "./session.ts"

/** How the stream is: `refused` where the key may not read it. */
export const streamState = signal<"off" | "connecting" | "live" | "refused">("off")

const accountEvents = "/api/v1/events"
const lastIds = new Map<string, string>()
const listeners = new Set<(event: StreamEvent) => void>()
let subject = accountEvents
let reading: AbortController | undefined

const readOn = async (path: string, abort: AbortController): Promise<void> => {
  const last = lastIds.get(path)
  const headers = {
    accept: "text/event-stream",
    ...(last === undefined ? {} : { "last-event-id": last })
  }
  const response = await send(path, { headers, signal: abort.signal })
  streamState.value = "live"
  let rest = ""
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    rest = readEvents(rest + piece, (event) => {
      if (event.id !== null) lastIds.set(path, event.id)
      if (Object.keys(event.data).length === 0) return
      for (const listen of listeners) listen(event)
    })
  }
}

const waitsMs = [500, 1_000, 2_000, 5_000, 15_000]

const keepReading = async (path: string, abort: AbortController): Promise<void> => {
  for (let failures = 0; !abort.signal.aborted;) {
    streamState.value = "connecting"
    try {
      await readOn(path, abort)
      failures = 0
    } catch (error) {
      if (abort.signal.aborted) return
      if (error instanceof RefusedCall && [401, 403, 404].includes(error.status)) {
        streamState.value = "refused"
        return
      }
      failures += 1
    }
    const wait = waitsMs[Math.min(failures, waitsMs.length - 1)]!
    await new Promise((wake) => setTimeout(wake, wait))
  }
}

const restart = (): void => {
  reading?.abort()
  reading = undefined
  if (sessionKey.peek() === null) {
    streamState.value = "off"
    return
  }
  reading = new AbortController()
  void keepReading(subject, reading)
}

/** Follows the account while somebody is signed in. */
export const startStream = (): void => {
  sessionKey.subscribe(restart)
}

/** Follows this path until the returned function is called, and the account again after that. */
export const followInstead = (path: string): (() => void) => {
  subject = path
  restart()
  return () => {
    if (subject !== path) return
    subject = accountEvents
    restart()
  }
}

/** Hears every event of the stream until the returned function is called. */
export const onEvent = (listen: (event: StreamEvent) => void): (() => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}
