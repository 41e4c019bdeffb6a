// Receives notifications and verifies them. SECRET=whsec_… node examples/receiver.mjs [port]
import { createServer } from "node:http"
import { verifyNotification } from "@candlewick/webhooks/verify"

const secret = process.env.SECRET ?? ""
const port = Number(process.argv[2] ?? 4000)
const server = createServer(async (request, response) => {
  const rawBody = Buffer.concat(await Array.fromAsync(request))
  try {
    // Insists on the webhook-* headers; `scheme: "either"` takes X-Service-Signature alone as well.
    const { event, data } = verifyNotification({ secret, headers: request.headers, rawBody })
    console.log(event, JSON.stringify(data))
    response.writeHead(204).end()
  } catch (error) {
    console.error(error.message)
    response.writeHead(400).end()
  }
})
server.listen(port, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
