/** A route of the host itself, which uses the same Candlewick. */
import { opened } from "../candlewick.mjs"

export const dynamic = "force-dynamic"
export const GET = async () => {
  const { candlewick } = await opened()
  const { items } = await candlewick.bots.list({ limit: 10 })
  return Response.json({ bots: items.map(({ name }) => name) })
}
