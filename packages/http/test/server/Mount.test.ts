/**
 * The API inside a server of the host: what the host may get wrong, and how it ends.
 */
import { Candlewick, type CandlewickHost, Problem } from "@candlewick/core"
import { mount, type MountedApi, type MountOptions } from "@candlewick/http"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

const apiKey = "a-mounted-key-0123456789abcdef0123456789"
const asOwner = { authorization: `Bearer ${apiKey}` }

const withMounted = async (
  options: MountOptions,
  use: (api: MountedApi, candlewick: CandlewickHost) => Promise<void>
): Promise<void> => {
  const candlewick = await Candlewick.open({ store: MemoryStore.layer, size: 1 })
  try {
    await use(await mount(candlewick, options), candlewick)
  } finally {
    await candlewick.close()
  }
}

/** A server of the host, as long as it is used. */
const withServer = async (
  listener: RequestListener,
  use: (url: string) => Promise<void>
): Promise<void> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it("refuses a key that is too short, and makes none by itself", async () => {
  const candlewick = await Candlewick.open({ store: MemoryStore.layer, size: 1 })
  const refused: unknown = await mount(candlewick, { apiKey: "short" }).then(
    () => assert.fail("it was not refused"),
    (reason: unknown) => reason
  )
  assert.instanceOf(refused, Problem)
  assert.match(refused.message, /32 characters or more/)
  await candlewick.close()
})

it("tells the host that its body parser came first", () =>
  withMounted({ apiKey }, (api) =>
    withServer(
      (request, response) => {
        request.resume().once("end", () => {
          try {
            api.onRequest(request, response)
          } catch (error) {
            response.writeHead(500).end(String(error))
          }
        })
      },
      async (url) => {
        const init = { method: "POST", headers: asOwner, body: "{}" }
        const answer = await fetch(`${url}/v1/bots`, init)
        assert.strictEqual(answer.status, 500)
        assert.match(await answer.text(), /mount the API before body parsers/)
      }
    )
  ))

it("counts callers without a key by the address that the host tells", () =>
  withMounted({ apiKey, rates: { anonymous: 1 } }, async (api) => {
    const from = async (address?: string) =>
      (await api.fetch(new Request("http://host.example/openapi.json"), { address })).status
    const statuses = [await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.2")]
    assert.deepStrictEqual([...statuses, await from(), await from()], [200, 429, 200, 200, 429])
  }))

it("works on what the host's own calls work on", () =>
  withMounted({ apiKey, basePath: "/desk" }, async (api, candlewick) => {
    await candlewick.markets.create({ symbol: "ABC/USD", taker_rate: 0.002 })
    const request = new Request("http://host.example/desk/v1/markets", { headers: asOwner })
    const { data } = (await (await api.fetch(request)).json()) as {
      data: Array<{ symbol: string }>
    }
    assert.include(
      data.map(({ symbol }) => symbol),
      "ABC/USD"
    )
  }))

it("answers who waits when the host closes, and nobody after that", async () => {
  const candlewick = await Candlewick.open({ store: MemoryStore.layer, size: 1 })
  const api = await mount(candlewick, { apiKey })
  await withServer(api.onRequest, async (url) => {
    const stream = await fetch(`${url}/v1/events`, { headers: asOwner })
    const told = stream.text()
    await candlewick.close()
    assert.strictEqual(stream.status, 200)
    // A stream that was cut off would reject.
    assert.notInclude(await told, "problem")
  })
  const late = await mount(candlewick, { apiKey }).catch((reason: unknown) => reason)
  assert.instanceOf(late, Problem)
  assert.strictEqual(late.code, "unavailable")
})
