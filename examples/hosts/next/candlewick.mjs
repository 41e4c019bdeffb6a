/** One Candlewick for the process: Next loads a module once for each of its bundles. */
import { Candlewick } from "@candlewick/core"
import { mount } from "@candlewick/http"
import { MemoryStore } from "@candlewick/store-memory"

const open = async () => {
  const candlewick = await Candlewick.open({ store: MemoryStore.layer })
  const api = await mount(candlewick, {
    basePath: "/candlewick",
    apiKey: process.env.CANDLEWICK_API_KEY
  })
  // Next takes no more requests by then, and waits for the streams that this ends.
  process.once("SIGTERM", () => candlewick.close())
  return { api, candlewick }
}

/** Opened at the first request, so that a build opens nothing. */
export const opened = () => (globalThis.candlewick ??= open())
