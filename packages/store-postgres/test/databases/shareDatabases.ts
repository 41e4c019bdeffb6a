/**
 * The databases that the files of a test run share.
 *
 * Each is begun when the first file asks for it and ended with the run, so that a run that needs
 * none pays for none.
 */
import { PGlite } from "@electric-sql/pglite"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type PostgresServer, type PostgresVersion, startPostgres } from "./startPostgres.ts"

/** The message to a file about a database: where it is, or why there is none. */
export type SharedDatabase = { readonly at: string } | { readonly reason: string }

declare module "vitest" {
  export interface ProvidedContext {
    /** Where a file asks for a database. */
    readonly sharedDatabases: string
  }
}

const explain = (error: unknown): SharedDatabase => ({
  reason: (error instanceof Error ? error.message : String(error)).trim().slice(0, 300)
})

/** A fresh embedded database as a file: to load one takes a fraction of making one. */
const writeTemplate = async (folder: string): Promise<SharedDatabase> => {
  const database = await PGlite.create("memory://")
  const path = join(folder, "template.tar")
  await writeFile(path, (await database.dumpDataDir("none")).stream())
  await database.close()
  return { at: path }
}

/** Serves the databases of one run, and ends them after it. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), "candlewick-databases-"))
  const servers: Array<PostgresServer> = []
  const asked = new Map<string, Promise<SharedDatabase>>()
  const begin = async (name: string): Promise<SharedDatabase> => {
    if (name === "/pglite") return writeTemplate(folder)
    const server = await startPostgres(Number(name.slice(1)) as PostgresVersion)
    servers.push(server)
    return { at: server.url }
  }
  const desk = createServer((request, response) => {
    const name = request.url ?? ""
    const database = asked.get(name) ?? begin(name).catch(explain)
    asked.set(name, database)
    void database.then((answer) => response.end(JSON.stringify(answer)))
  })
  await new Promise<void>((resolve) => desk.listen(0, "127.0.0.1", resolve))
  const address = desk.address()
  if (typeof address !== "object" || address === null) throw new Error("no port to listen on")
  project.provide("sharedDatabases", `http://127.0.0.1:${address.port}`)
  return async () => {
    desk.closeAllConnections()
    desk.close()
    await Promise.all(asked.values())
    await Promise.all(servers.map(({ stop }) => stop()))
    await rm(folder, { recursive: true, force: true })
  }
}
