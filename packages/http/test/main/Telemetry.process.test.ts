/** A server with a collector: requests come as traces, and metrics with them. */
import { assert, it } from "@effect/vitest"
import { createServer } from "node:http"
import { once } from "node:events"
import { apiKey, freePort, startServer, stopServer } from "../../../../scripts/examples.ts"

/** A collector of OTLP in JSON: the bodies by path. */
const startCollector = async () => {
  const bodies = new Map<string, string>()
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk) => (text += String(chunk)))
    request.on("end", () => {
      const path = request.url ?? ""
      bodies.set(path, (bodies.get(path) ?? "") + text)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  return { bodies, close: () => server.close(), url: `http://127.0.0.1:${port}` }
}

it("a server exports traces, metrics and log lines to the collector that is named", async () => {
  const { bodies, close, url } = await startCollector()
  const port = await freePort()
  const server = await startServer(port, {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
  })
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/bots`, { headers })
  const [, traceId = "none"] = (answer.headers.get("traceparent") ?? "").split("-")
  const secret = "a-key-that-nobody-may-see"
  await fetch(`http://127.0.0.1:${port}/signals/${secret}`, { method: "POST", body: "{}" })
  // The remaining spans are sent before the process ends.
  await stopServer(server)
  close()
  const traces = bodies.get("/v1/traces") ?? ""
  assert.include(traces, traceId)
  assert.include(traces, '"candlewick"')
  for (const [path, text] of bodies) assert.notInclude(text, secret, path)
  assert.include(bodies.get("/v1/metrics") ?? "", "candlewick_http_requests_total")
  assert.include(bodies.get("/v1/logs") ?? "", "webhooks may reach 127.0.0.1/32")
}, 120_000)
