/**
 * The receivers in `examples/receivers` take what the dispatcher signs, and nothing else.
 */
import { spawn } from "node:child_process"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { signAttempt } from "../packages/webhooks/src/Signature.ts"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"
const body = '{"event":"trade.executed","timestamp":"2026-01-15T09:30:00.000Z","data":{"n":"ü"}}'

interface Heard {
  readonly event: string
  readonly id: string | null
}

type OnEvent = (event: Heard) => void
type Answer = (init: RequestInit) => Promise<number>
interface Running {
  readonly answer: Answer
  readonly close: () => Promise<unknown>
}

const post =
  (port: number): Answer =>
  (init) =>
    fetch(`http://127.0.0.1:${port}/hook`, init).then(({ status }) => status)

const listening = (server: Server): Promise<Running> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => new Promise((done) => server.close(done))
      resolve({ answer: post((server.address() as AddressInfo).port), close })
    })
  })

const example = (name: string) =>
  import(new URL(`../examples/receivers/${name}.mjs`, import.meta.url).href)

const over = async (handle: (request: Request) => Promise<Response>): Promise<Running> => ({
  answer: async (init) => (await handle(new Request("http://127.0.0.1/hook", init))).status,
  close: async () => {}
})

const start: Record<string, (onEvent: OnEvent) => Promise<Running>> = {
  node: async (onEvent) => listening((await example("node")).makeServer(secret, onEvent)),
  express: async (onEvent) =>
    listening(createServer((await example("express")).makeApp(secret, onEvent))),
  fastify: async (onEvent) => {
    const app = (await example("fastify")).makeApp(secret, onEvent)
    await app.listen({ port: 0, host: "127.0.0.1" })
    return { answer: post(app.server.address().port), close: () => app.close() }
  },
  hono: async (onEvent) => {
    const app = (await example("hono")).makeApp(secret, onEvent)
    return over(async (request) => app.fetch(request))
  },
  next: async (onEvent) => over((await example("next")).makeRoute(secret, onEvent))
}

const signed = Effect.sync(() => {
  const bytes = new TextEncoder().encode(body)
  const secrets = [Redacted.make(secret)] as const
  const id = "msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F"
  return { ...signAttempt({ id, atMs: Date.now(), body: bytes, secrets }) }
})

const plainOf = (headers: Readonly<Record<string, string>>) => ({
  "content-type": "application/json",
  "x-service-signature": headers["x-service-signature"]!
})

describe("receivers", () => {
  const open: Array<Running> = []
  afterAll(() => Promise.all(open.map((one) => one.close())))

  for (const [name, run] of Object.entries(start)) {
    it(`${name} takes a signed notification and refuses one that was changed`, async () => {
      const heard: Array<Heard> = []
      const running = await run((event) => heard.push(event))
      open.push(running)
      const headers = { "content-type": "application/json", ...(await Effect.runPromise(signed)) }
      const send = (text: string, others: Record<string, string> = headers) =>
        running.answer({ method: "POST", headers: others, body: text })
      assert.strictEqual(await send(body), 204)
      assert.strictEqual(await send(body.replace("ü", "u")), 400)
      const { "x-service-signature": _, ...standard } = headers
      assert.strictEqual(await send(body, standard), 204)
      assert.strictEqual(await send(body, plainOf(headers)), 400)
      assert.deepStrictEqual(
        heard.map(({ event, id }) => [event, id]),
        Array.from({ length: 2 }, () => ["trade.executed", headers["webhook-id"]])
      )
    })
  }

  it("hmac takes the plain signature alone, and refuses a body that was changed", async () => {
    const heard: Array<Heard> = []
    const running = await listening(
      (await example("hmac")).makeServer(secret, (event: Heard) => heard.push(event))
    )
    open.push(running)
    const headers = plainOf(await Effect.runPromise(signed))
    const send = (text: string, others: Record<string, string> = headers) =>
      running.answer({ method: "POST", headers: others, body: text })
    assert.strictEqual(await send(body), 204)
    assert.strictEqual(await send(body.replace("ü", "u")), 400)
    assert.strictEqual(await send(body, {}), 400)
    assert.deepStrictEqual(
      heard.map(({ event }) => event),
      ["trade.executed"]
    )
  })

  it("the example prints what is signed, and goes on after what is not", async () => {
    const script = fileURLToPath(new URL("../examples/receiver.mjs", import.meta.url))
    const child = spawn(process.execPath, [script, "0"], {
      env: { ...process.env, SECRET: secret },
      stdio: ["ignore", "pipe", "ignore"]
    })
    open.push({ answer: post(0), close: async () => child.kill() })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async (): Promise<string> => String((await lines.next()).value)
    const answer = post(Number((await next()).split(":").at(-1)))
    assert.strictEqual(await answer({ method: "POST", body }), 400)
    const headers = { "content-type": "application/json", ...(await Effect.runPromise(signed)) }
    assert.strictEqual(await answer({ method: "POST", headers, body }), 204)
    assert.strictEqual(await next(), 'trade.executed {"n":"ü"}')
  })
})
