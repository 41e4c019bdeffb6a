/**
 * The API answers inside servers of Express and Fastify as it does in its own. Next runs published
 * packages alone, so `npm run release:check` has its part.
 */
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { checkHost, startHost } from "../scripts/hostChecks.ts"

describe("the API inside a host", () => {
  for (const name of ["express", "fastify"]) {
    it(`${name} gets bodies, paths, pages and streams through`, async () => {
      const file = fileURLToPath(new URL(`../examples/hosts/${name}.mjs`, import.meta.url))
      await checkHost(await startHost(process.execPath, [file]))
    })
  }
})
