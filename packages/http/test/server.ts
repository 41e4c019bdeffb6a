/** A server on loopback around the fakes, and a small client for its raw answers. */
import { serve, type ServeOptions } from "@candlewick/http"
import { Effect, Layer, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { type Control, fakeServices, fullKey, makeControl } from "./fakes.ts"

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Uint8Array
  readonly json: any
}

export interface TestServer {
  readonly control: Control
  readonly baseUrl: string
  readonly lines: Array<string>
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>
  ) => Effect.Effect<RawAnswer>
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const send = async (url: string, init: RequestInit): Promise<RawAnswer> => {
  const response = await fetch(url, init)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  return { status: response.status, headers: response.headers, text, bytes, json: parsed(text) }
}

const callerOf =
  (baseUrl: string): TestServer["call"] =>
  (method, path, body, headers = {}) => {
    const all = {
      authorization: `Bearer ${fullKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    }
    const sent = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]]
    )
    return Effect.promise(() =>
      send(baseUrl + path, {
        method,
        headers: sent,
        ...(body === undefined
          ? {}
          : {
              body:
                typeof body === "string" || body instanceof Uint8Array
                  ? (body as string | Uint8Array<ArrayBuffer>)
                  : JSON.stringify(body)
            })
      })
    )
  }

/** Starts a server for the scope of a test. */
export const startServer = (
  options: Partial<ServeOptions> = {}
): Effect.Effect<TestServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const control = makeControl()
    const lines: Array<string> = []
    const served = serve({
      host: "127.0.0.1",
      port: 0,
      shutdownTimeoutMs: 2000,
      accessLog: { write: (text) => void lines.push(...text.trim().split("\n")) },
      ...options
    }).pipe(Layer.provide(fakeServices(control)), Layer.orDie)
    const context = yield* Layer.build(served)
    const { address } = yield* Effect.provide(HttpServer.HttpServer, context)
    const baseUrl = `http://127.0.0.1:${"port" in address ? address.port : 0}`
    return { control, lines, baseUrl, call: callerOf(baseUrl) }
  })
