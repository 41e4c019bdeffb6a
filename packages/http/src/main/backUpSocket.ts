/**
 * The socket for back-ups of a server with an embedded database, while it runs.
 *
 * It is in the data directory, and only its owner can open it. A back-up holds every account, so
 * that no key of one may ask for it.
 *
 * @since 0.1.0
 */
import { Pglite } from "@candlewick/store-postgres"
import { Data, Effect, Layer } from "effect"
import { chmodSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join, relative, resolve } from "node:path"

/** A server could not be asked, or has refused. */
export class BackUpRefused extends Data.TaggedError("BackUpRefused")<{
  readonly reason: string
  /** Whether no process answers, so that the directory is free. */
  readonly isNobodyThere: boolean
}> {
  override get message(): string {
    return this.reason
  }
}

/** The path of the socket; the shorter one, for it may have some 100 characters only. */
const socketPath = (directory: string): string => {
  const path = join(resolve(directory), "control")
  if (process.platform === "win32") return join("\\\\?\\pipe", path)
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length ? fromHere : path
}

const textOf = (socket: Socket, done: (text: string) => void): void => {
  const chunks: Array<Buffer> = []
  socket.on("data", (chunk: Buffer) => void chunks.push(chunk))
  socket.on("end", () => done(Buffer.concat(chunks).toString("utf8")))
}

const listen = (path: string, onAsked: (target: string, socket: Socket) => void) =>
  Effect.callback<Server, Error>((resume) => {
    // The rest of a killed server: the directory is ours.
    if (process.platform !== "win32") rmSync(path, { force: true })
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined)
      textOf(socket, (target) => onAsked(target, socket))
    })
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(path, () => {
      if (process.platform !== "win32") chmodSync(path, 0o600)
      resume(Effect.succeed(server))
    })
  })

/**
 * Answers requests for a back-up, while the layer lives. A request has the place of the back-up;
 * the answer is empty, or the reason why none was made.
 */
export const backUpSocket = (directory: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { backUp } = yield* Pglite.EmbeddedDatabase
      const run = Effect.runCallbackWith(yield* Effect.context<never>())
      const onAsked = (target: string, socket: Socket): void => {
        const made = backUp(target).pipe(
          Effect.tap(() => Effect.logInfo(`made a back-up in ${target}`)),
          Effect.match({ onFailure: ({ reason }) => reason, onSuccess: () => "" })
        )
        run(made, {
          onExit: (exit) => {
            if (exit._tag === "Success") socket.end(`${JSON.stringify(exit.value)}\n`)
            else socket.destroy()
          }
        })
      }
      yield* Effect.acquireRelease(listen(socketPath(directory), onAsked), (server) =>
        Effect.sync(() => server.close())
      )
    }).pipe(
      Effect.catch((error) => Effect.logWarning("no back-up can be asked for while it runs", error))
    )
  )

/** Asks the server that uses a data directory for a back-up, and waits until it is made. */
export const askForBackUp = (
  directory: string,
  target: string
): Effect.Effect<void, BackUpRefused> =>
  Effect.callback((resume) => {
    const fail = (reason: string, isNobodyThere = false): void =>
      resume(Effect.fail(new BackUpRefused({ reason, isNobodyThere })))
    const socket = connect(socketPath(directory), () => socket.end(resolve(target)))
    socket.once("error", (error: NodeJS.ErrnoException) =>
      fail(error.message, ["ENOENT", "ECONNREFUSED"].includes(error.code ?? ""))
    )
    textOf(socket, (text) => {
      if (text === "") return fail("the server ended before it was made")
      const reason: unknown = JSON.parse(text)
      return reason === "" ? resume(Effect.void) : fail(String(reason))
    })
    return Effect.sync(() => socket.destroy())
  })
