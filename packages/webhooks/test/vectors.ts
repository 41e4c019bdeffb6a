/**
 * A signed notification that five independent verifiers accept, frozen in time.
 *
 * @since 0.1.0
 */
import { Redacted } from "effect"

const tradeExecuted =
  '{"event":"trade.executed","timestamp":"2026-01-15T09:30:00.000Z",' +
  '"data":{"trade_id":"trd_7Q2M","symbol":"BTC/USDT","side":"buy","amount":0.25,"price":64250.5}}'

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"
const oldSecret = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eDf"

/** The vector, and the same during a rotation. */
export const vector = {
  id: "msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
  atMs: 1_768_469_400_000,
  secret,
  oldSecret,
  body: Buffer.from(tradeExecuted),
  redacted: Redacted.make(secret),
  oldRedacted: Redacted.make(oldSecret),
  headers: {
    "webhook-id": "msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    "webhook-timestamp": "1768469400",
    "webhook-signature": "v1,Xg3y8BEYANIfDMTs0UEhud0r3Q8JU44KTCi0Ktbvx3E=",
    "x-service-signature": "sha256=35820e07fd08e6ec14240cfb7e9631689b6bd322f7d918a3aeb0db1171ba4ba2"
  },
  rotation: {
    "webhook-signature":
      "v1,Xg3y8BEYANIfDMTs0UEhud0r3Q8JU44KTCi0Ktbvx3E=" +
      " v1,i/7vevnxmbBKXfESZ1LwRKeK3fkh+Bn6dLX+3b0R5nA=",
    "x-service-signature": "sha256=036f04a6593651282e30c6a30958bcced88c08ed7247562ba15716b0f622fef9"
  }
} as const
