/**
 * Records what is done to the files of a folder in this thread, sync by sync.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { relative } from "node:path"
import type { DiskOperation } from "./DiskModel.ts"

/** A recording under way. */
export interface DiskRecording {
  readonly operations: ReadonlyArray<DiskOperation>
  readonly stop: () => void
}

/** Records until it is stopped; the folder must be empty. */
export const recordDisk = (folder: string): DiskRecording => {
  const operations: Array<DiskOperation> = []
  const open = new Map<number, string>()
  const original = { ...fs }
  const inside = (path: unknown): string | null => {
    const inner = relative(folder, String(path))
    return inner.startsWith("..") ? null : inner
  }
  const note = (path: string | null | undefined, more: (path: string) => DiskOperation): void => {
    if (path !== null && path !== undefined) operations.push(more(path))
  }
  const whole = (value: number | null | undefined): number => value ?? 0

  const recorded: Partial<typeof fs> = {
    openSync: (path, flags, mode) => {
      const file = original.openSync(path, flags, mode)
      const inner = inside(path)
      if (inner !== null) open.set(file, inner)
      return file
    },
    closeSync: (file) => {
      open.delete(file)
      original.closeSync(file)
    },
    fsyncSync: (file) => note(open.get(file), (path) => ({ type: "sync", path })),
    fdatasyncSync: (file) => note(open.get(file), (path) => ({ type: "sync", path })),
    mkdirSync: ((path: string, options: fs.MakeDirectoryOptions) => {
      const isThere = original.existsSync(path)
      const made = original.mkdirSync(path, options)
      if (!isThere) note(inside(path), (path) => ({ type: "make", path, kind: "folder" }))
      return made
    }) as typeof fs.mkdirSync,
    writeFileSync: (path, data, options) => {
      const isThere = original.existsSync(String(path))
      original.writeFileSync(path, data, options)
      const inner = inside(path)
      if (!isThere) note(inner, (path) => ({ type: "make", path, kind: "file" }))
      const bytes = Buffer.from(data as string)
      if (bytes.length > 0) note(inner, (path) => ({ type: "write", path, at: 0, bytes }))
    },
    writeSync: ((
      file: number,
      buffer: Uint8Array,
      offset: number,
      length: number,
      position: number
    ) => {
      const written = original.writeSync(file, buffer, offset, length, position)
      const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, written).slice()
      note(open.get(file), (path) => ({ type: "write", path, at: position, bytes }))
      return written
    }) as typeof fs.writeSync,
    ftruncateSync: (file, size) => {
      original.ftruncateSync(file, size)
      note(open.get(file), (path) => ({ type: "resize", path, size: whole(size) }))
    },
    truncateSync: (path, size) => {
      original.truncateSync(path, size ?? undefined)
      note(inside(path), (path) => ({ type: "resize", path, size: whole(size) }))
    },
    renameSync: (from, to) => {
      original.renameSync(from, to)
      const target = inside(to)
      if (target === null) throw new Error("something was moved out of the folder")
      for (const [file, path] of open) if (path === inside(from)) open.set(file, target)
      note(inside(from), (path) => ({ type: "rename", path, to: target }))
    },
    unlinkSync: (path) => {
      original.unlinkSync(path)
      note(inside(path), (path) => ({ type: "remove", path }))
    },
    rmdirSync: (path) => {
      original.rmdirSync(path)
      note(inside(path), (path) => ({ type: "remove", path }))
    },
    rmSync: (path, options) => {
      const isThere = original.existsSync(path)
      original.rmSync(path, options)
      if (isThere) note(inside(path), (path) => ({ type: "remove", path }))
    }
  }
  const before = Object.fromEntries(
    Object.keys(recorded).map((name) => [name, Reflect.get(fs, name)])
  )
  // A sync by promise counts once it has ended.
  const openPromise = fs.promises.open
  fs.promises.open = async (path, flags, mode) => {
    const file = await openPromise(path, flags, mode)
    file.sync = async () => note(inside(path), (path) => ({ type: "sync", path }))
    return file
  }
  const put = (functions: object): void => {
    Object.assign(fs, functions)
    // Modules that import by name see it too.
    syncBuiltinESMExports()
  }
  put(recorded)
  return {
    operations,
    stop: () => {
      fs.promises.open = openPromise
      put(before)
    }
  }
}
