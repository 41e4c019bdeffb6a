/** Next: the API as a route handler. */
import { opened } from "../../../candlewick.mjs"

const answer = async (request) => {
  const { api } = await opened()
  // Next writes down from where a request came, where no proxy in front has done so.
  const address = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
  return api.fetch(request, { address })
}

export const dynamic = "force-dynamic"
export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
