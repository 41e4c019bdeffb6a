/**
 * The list of a folder that a case stands in, for whoever has to look at it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

/** Its path in the folder; that of its kind where no list tells. */
export const whereIs = (folder: string, kind: string, id: string): string => {
  // Some cases are one of several results that are named together.
  const [named = id] = id.split("/")
  const paths = readdirSync(join(folder, kind), { recursive: true, encoding: "utf8" }).toSorted()
  const own = paths.find((path) => basename(path) === id || basename(path) === `${id}.json`)
  if (own !== undefined) return join(kind, own)
  const lists = paths.filter((path) => /\.jsonl?$/.test(path))
  const texts = lists.map((path) => readFileSync(join(folder, kind, path), "utf8"))
  const holds = (name: string) => texts.findIndex((text) => text.includes(JSON.stringify(name)))
  const at = [id, named].map(holds).find((found) => found !== -1)
  return at === undefined ? kind : join(kind, lists[at]!)
}
