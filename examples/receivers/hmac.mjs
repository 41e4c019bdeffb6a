// Node's own cryptography and `X-Service-Signature` alone, for hosts that take no library. The header
// covers the body and no time of sending: remember bodies, or a copy is taken again.
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"

const isSigned = (secret, header, rawBody) => {
  const expected = Buffer.from(
    `sha256=${createHmac("sha256", secret).update(rawBody).digest("hex")}`
  )
  const given = Buffer.from(header ?? "")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export const makeServer = (secret, onEvent) =>
  createServer(async (request, response) => {
    const rawBody = await buffer(request)
    const isGenuine = isSigned(secret, request.headers["x-service-signature"], rawBody)
    if (isGenuine) onEvent(JSON.parse(rawBody.toString()))
    response.writeHead(isGenuine ? 204 : 400).end()
  })
