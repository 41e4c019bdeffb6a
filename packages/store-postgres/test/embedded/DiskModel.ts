/**
 * A disk that remembers what was synced. It takes a database's writes, and says what may be left of
 * its files when the power goes.
 *
 * Writes that were not synced survive sector by sector, or do not. Entries of a folder survive in
 * the order in which they were made, up to some point. A file is not found after a cut unless its
 * folder was synced.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Random } from "@candlewick/core/kernel"

/** Something that was done to files; paths are relative, and "" is the root. */
export type DiskOperation =
  | { readonly type: "make"; readonly path: string; readonly kind: "file" | "folder" }
  | {
      readonly type: "write"
      readonly path: string
      readonly at: number
      readonly bytes: Uint8Array
    }
  | { readonly type: "resize"; readonly path: string; readonly size: number }
  | { readonly type: "sync"; readonly path: string }
  | { readonly type: "rename"; readonly path: string; readonly to: string }
  | { readonly type: "remove"; readonly path: string }

type Change = { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number }

interface File {
  readonly kind: "file"
  kept: Uint8Array
  pending: Array<Change>
}

type Entries = Map<string, Entry>

interface Folder {
  readonly kind: "folder"
  readonly now: Entries
  kept: Entries
  pending: Array<(entries: Entries) => void>
}

type Entry = File | Folder

/** The surviving part of unsynced writes. */
export type Survival = "nothing" | "everything" | "some"

const sectorBytes = 512

const makeFolder = (): Folder => ({ kind: "folder", now: new Map(), kept: new Map(), pending: [] })

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The bytes of a file after changes; a copy, made once for all of them. */
const changed = (kept: Uint8Array, changes: ReadonlyArray<Change>): Uint8Array => {
  if (changes.length === 0) return kept
  const ends = changes.map((one) => ("size" in one ? one.size : one.at + one.bytes.length))
  const bytes = new Uint8Array(Math.max(kept.length, ...ends))
  bytes.set(kept)
  let size = kept.length
  for (const change of changes) {
    if ("size" in change) {
      bytes.fill(0, change.size, size)
      size = change.size
    } else {
      bytes.set(change.bytes, change.at)
      size = Math.max(size, change.at + change.bytes.length)
    }
  }
  return bytes.subarray(0, size)
}

/** A write as the sectors that the disk takes one by one. */
const sectorsOf = (change: Change): ReadonlyArray<Change> => {
  if ("size" in change) return [change]
  const sectors: Array<Change> = []
  for (let from = 0; from < change.bytes.length;) {
    const to = Math.min(
      change.bytes.length,
      from + sectorBytes - ((change.at + from) % sectorBytes)
    )
    sectors.push({ at: change.at + from, bytes: change.bytes.subarray(from, to) })
    from = to
  }
  return sectors
}

/** The disk. */
export class DiskModel {
  readonly #root = makeFolder()

  #find(path: string): Entry {
    let entry: Entry = this.#root
    for (const name of path.split("/")) {
      if (name === "") continue
      const next: Entry | undefined = entry.kind === "folder" ? entry.now.get(name) : undefined
      if (next === undefined) throw new Error(`there is no ${path}`)
      entry = next
    }
    return entry
  }

  #folderOf(path: string): Folder {
    const folder = this.#find(path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "")
    if (folder.kind !== "folder") throw new Error(`${path} is in no folder`)
    return folder
  }

  #change(folder: Folder, change: (entries: Entries) => void): void {
    change(folder.now)
    folder.pending.push(change)
  }

  /** Shows the disk what is done. */
  apply(operation: DiskOperation): void {
    const { path } = operation
    switch (operation.type) {
      case "make": {
        const made: Entry =
          operation.kind === "folder"
            ? makeFolder()
            : { kind: "file", kept: new Uint8Array(0), pending: [] }
        return this.#change(this.#folderOf(path), (entries) => entries.set(nameOf(path), made))
      }
      case "remove":
        return this.#change(this.#folderOf(path), (entries) => entries.delete(nameOf(path)))
      case "rename": {
        const { to } = operation
        const entry = this.#find(path)
        const [from, target] = [this.#folderOf(path), this.#folderOf(to)]
        if (from !== target) throw new Error("nothing is moved between folders here")
        return this.#change(from, (entries) => {
          entries.delete(nameOf(path))
          entries.set(nameOf(to), entry)
        })
      }
      case "sync":
        return this.#sync(this.#find(path))
      default: {
        const file = this.#find(path)
        if (file.kind !== "file") throw new Error(`${path} is no file`)
        file.pending.push(operation)
      }
    }
  }

  #sync(entry: Entry): void {
    if (entry.kind === "folder") entry.kept = new Map(entry.now)
    else entry.kept = changed(entry.kept, entry.pending)
    entry.pending = []
  }

  /** Writes down what is left after a cut of the power. */
  writeRemains(target: string, survival: Survival, random: Random): void {
    const leave = (folder: Folder, path: string): void => {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      const count =
        survival === "nothing"
          ? 0
          : survival === "everything"
            ? folder.pending.length
            : random.integer(0, folder.pending.length)
      const entries = new Map(folder.kept)
      for (const change of folder.pending.slice(0, count)) change(entries)
      for (const [name, entry] of entries) {
        if (entry.kind === "folder") leave(entry, join(path, name))
        else writeFileSync(join(path, name), remainsOf(entry), { mode: 0o600 })
      }
    }
    const remainsOf = ({ kept, pending }: File): Uint8Array => {
      if (survival === "nothing") return kept
      const changes = pending.flatMap(sectorsOf)
      const left = survival === "everything" ? changes : changes.filter(() => random.next() < 0.5)
      return changed(kept, left)
    }
    leave(this.#root, target)
  }
}
