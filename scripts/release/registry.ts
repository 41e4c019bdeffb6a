/**
 * An npm registry on loopback that knows only what is published to it: enough for `pnpm publish`,
 * `pnpm info`, and installs by npm and pnpm. It keeps tarballs byte for byte, refuses who shows no
 * token, and refuses a version that is there already, as the public one does.
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { gunzipSync } from "node:zlib"

interface Version {
  readonly dist: { readonly integrity: string; tarball: string }
  readonly [field: string]: unknown
}

interface Packument {
  readonly name: string
  readonly versions: Record<string, Version>
  readonly "dist-tags": Record<string, string>
  readonly time: Record<string, string>
}

/** The body that `publish` sends. */
interface Publication {
  readonly name: string
  readonly versions: Readonly<Record<string, Version>>
  readonly "dist-tags": Readonly<Record<string, string>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

/** A registry that listens. */
export interface Registry {
  readonly url: string
  /** The publisher shows it. */
  readonly token: string
  /** Tarballs by name and version, `@candlewick/core@0.1.0`. */
  readonly tarballs: ReadonlyMap<string, Buffer>
  readonly close: () => Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body
}

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  const type = Buffer.isBuffer(body) ? "application/octet-stream" : "application/json"
  response.writeHead(status, { "content-type": type, "content-length": bytes.length })
  response.end(bytes)
}

const integrityOf = (tarball: Buffer): string =>
  `sha512-${createHash("sha512").update(tarball).digest("base64")}`

/** The one tarball of a publication; its name is the client's own affair. */
const attachedTo = (publication: Publication): Buffer => {
  const [attachment] = Object.values(publication._attachments)
  if (attachment === undefined) throw new Error(`${publication.name} came without a tarball`)
  return Buffer.from(attachment.data, "base64")
}

/** Publications by name, with the tarball of each version. */
class Shelf {
  readonly packuments = new Map<string, Packument>()
  readonly tarballs = new Map<string, Buffer>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Keeps a publication; the status says whether. */
  add(publication: Publication): readonly [status: number, error?: string] {
    const { name } = publication
    const [entry] = Object.entries(publication.versions)
    if (entry === undefined) return [400, `${name} came without a version`]
    const [version, manifest] = entry
    const known = this.packuments.get(name)
    if (known?.versions[version] !== undefined) return [403, `${name}@${version} is published`]
    const tarball = attachedTo(publication)
    if (integrityOf(tarball) !== manifest.dist.integrity) return [400, `${name} came damaged`]
    const file = `${name}/-/${name.split("/").at(-1)}-${version}.tgz`
    manifest.dist.tarball = `${this.#url}${file}`
    this.tarballs.set(`${name}@${version}`, tarball)
    this.packuments.set(name, {
      name,
      versions: { ...known?.versions, [version]: manifest },
      "dist-tags": { ...known?.["dist-tags"], ...publication["dist-tags"] },
      time: { ...known?.time, [version]: new Date().toISOString() }
    })
    return [201]
  }

  /** The requested document: a packument or a tarball. */
  find(path: string): Packument | Buffer | undefined {
    const [name, file] = path.split("/-/")
    if (file === undefined) return this.packuments.get(path)
    const version = file.slice(`${name!.split("/").at(-1)}-`.length, -".tgz".length)
    return this.tarballs.get(`${name}@${version}`)
  }
}

const respond = async (
  shelf: Shelf,
  token: string,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const path = decodeURIComponent((request.url ?? "/").split("?")[0]!).slice(1)
  if (request.method === "GET") {
    const found = shelf.find(path)
    return found === undefined
      ? answer(response, 404, { error: `${path} is not published` })
      : answer(response, 200, found)
  }
  if (request.method !== "PUT") return answer(response, 405, { error: "publish or read" })
  if (request.headers.authorization !== `Bearer ${token}`) {
    return answer(response, 401, { error: "no token" })
  }
  const publication: Publication = JSON.parse((await readBody(request)).toString())
  const [status, error] = shelf.add(publication)
  answer(response, status, error === undefined ? { ok: true } : { error })
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** Starts a registry on a free port. */
export const openRegistry = async (): Promise<Registry> => {
  const token = "a-token-of-the-loopback-registry"
  const server = createServer()
  const url = `http://127.0.0.1:${await listen(server)}/`
  const shelf = new Shelf(url)
  server.on("request", (request, response) => {
    respond(shelf, token, request, response).catch((error: unknown) =>
      answer(response, 500, { error: String(error) })
    )
  })
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url, token, tarballs: shelf.tarballs, close }
}
