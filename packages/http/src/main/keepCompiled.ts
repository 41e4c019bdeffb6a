/**
 * Keeps the compiled code of a server from start to start.
 *
 * Without it Node strips the types of each source, and compiles it, whenever a server begins. That
 * is half of its first seconds. The code lies in the folder of the modules, which is as trusted as
 * they are. Where that can't be written, a start takes longer and nothing else changes.
 *
 * @since 0.1.0
 */
import { enableCompileCache } from "node:module"
import { dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder for the compiled code of a package that a file in `main` belongs to. */
export const compiledFolder = (file: string): string => {
  const modules = `${sep}node_modules${sep}`
  const at = file.indexOf(modules)
  const root = at < 0 ? join(dirname(file), "..", "..") : file.slice(0, at)
  return join(root, "node_modules", ".cache", "candlewick")
}

/** To be called before the server's modules are imported. */
export const keepCompiled = (): void => {
  enableCompileCache(compiledFolder(fileURLToPath(import.meta.url)))
}
