/**
 * The environment variables of the server, as one table with defaults and bounds.
 *
 * The page `docs/configuration.md` is printed from it; a value out of bounds stops the start with a
 * sentence that names the variable.
 *
 * @since 0.1.0
 */
import { parseEncryptionKeys } from "@candlewick/core"
import { findUnfitRange } from "@candlewick/webhooks"

/** One environment variable. @category models @since 0.1.0 */
export interface SettingRow {
  readonly variable: string
  readonly kind: "integer" | "text" | "boolean" | "list"
  readonly default: string
  readonly bounds: string
  readonly description: string
}

/** Every environment variable that the server reads itself. @category tables @since 0.1.0 */
export const settingRows = [
  {
    variable: "PORT",
    kind: "integer",
    default: "8080",
    bounds: "0 to 65535; 0 takes a free one",
    description: "Port that the server listens on."
  },
  {
    variable: "HOST",
    kind: "text",
    default: "127.0.0.1",
    bounds: "an address of this machine",
    description:
      "Address that the server listens on. Anything but loopback wants TLS in front of it."
  },
  {
    variable: "CANDLEWICK_API_KEY",
    kind: "text",
    default: "",
    bounds: "32 characters or more",
    description:
      "Admin key of the first account. Without it one is made on first start and printed once."
  },
  {
    variable: "CANDLEWICK_DATA_DIR",
    kind: "text",
    default: "./data",
    bounds: "a directory that only this process uses, or :memory:",
    description:
      "Where the embedded database is kept; made when it is not there. With :memory: everything is gone when the process ends."
  },
  {
    variable: "DATABASE_URL",
    kind: "text",
    default: "",
    bounds: "postgres://user:password@host:port/database",
    description:
      "PostgreSQL server, 14 or newer, to keep everything in instead of the embedded database."
  },
  {
    variable: "CANDLEWICK_DATABASE_CONNECTIONS",
    kind: "integer",
    default: "10",
    bounds: "2 to 200",
    description: "Connections to the PostgreSQL server at most."
  },
  {
    variable: "CANDLEWICK_ENCRYPTION_KEY",
    kind: "text",
    default: "",
    bounds: "base64 of 32 bytes; several, separated by commas",
    description:
      "Seals webhook secrets, and answers kept for repetitions, at rest: the first key seals, all of them open. Without it a key is kept in the data directory (`encryption.key`), or, with DATABASE_URL, secrets are not sealed."
  },
  {
    variable: "CANDLEWICK_KEY_LOST",
    kind: "boolean",
    default: "false",
    bounds: "true or false",
    description:
      "Starts although secrets of webhooks open with no key that is given: their deliveries fail until the secrets are rotated, and headers that they have are set again."
  },
  {
    variable: "CANDLEWICK_WEBHOOK_RETENTION_DAYS",
    kind: "integer",
    default: "30",
    bounds: "1 to 3650",
    description: "Days for which finished deliveries, their bodies and attempts are kept."
  },
  {
    variable: "CANDLEWICK_REPLAY_RATE",
    kind: "integer",
    default: "20",
    bounds: "1 to 10000",
    description: "Candles a second at which a paper bot replays a recording."
  },
  {
    variable: "CANDLEWICK_WORKERS",
    kind: "integer",
    default: "",
    bounds: "1 to 64",
    description:
      "Worker threads for runs. By default one less than there are processors, and at least one."
  },
  {
    variable: "CANDLEWICK_RUN_RETENTION_DAYS",
    kind: "integer",
    default: "90",
    bounds: "0 to 36500; 0 keeps them for ever",
    description: "Days after its end for which a backtest or an optimization is kept."
  },
  {
    variable: "CANDLEWICK_WEBHOOK_ALLOW_CIDRS",
    kind: "list",
    default: "",
    bounds: "addresses with a prefix length, separated by commas",
    description:
      "Address ranges that webhooks may reach although they are not public, on any port. Loopback, link-local, metadata and multicast addresses must be named exactly (/32, /128)."
  },
  {
    variable: "CANDLEWICK_PUBLIC_HOSTS",
    kind: "list",
    default: "",
    bounds: "names or addresses, separated by commas; with :port for that port alone",
    description:
      "Where callers reach this server, which webhooks may therefore never be sent to. The address that it listens on is always among them."
  },
  {
    variable: "CANDLEWICK_WEBHOOK_PORTS",
    kind: "list",
    default: "443,8443",
    bounds: "1 to 65535, separated by commas",
    description: "Ports that webhooks may reach on all other addresses."
  },
  {
    variable: "CANDLEWICK_WEBHOOK_ALLOW_HTTP",
    kind: "boolean",
    default: "false",
    bounds: "true or false",
    description: "Whether webhook addresses may begin with http://."
  }
] as const satisfies ReadonlyArray<SettingRow>

/** Where everything is kept. @category models @since 0.1.0 */
export type StoreSetting =
  | { readonly type: "memory" }
  | {
      readonly type: "embedded"
      readonly directory: string
      /** The file of the database's thread, where it is another one. */
      readonly script?: URL
    }
  | { readonly type: "postgres"; readonly url: string; readonly connectionsMax: number }

/** The server's settings, read and checked. @category models @since 0.1.0 */
export interface ServerSettings {
  readonly store: StoreSetting
  readonly port: number
  readonly host: string
  readonly apiKey: string | undefined
  readonly replayRate: number
  readonly workers: number | undefined
  readonly runRetentionDays: number
  readonly webhookAllowCidrs: ReadonlyArray<string>
  readonly publicHosts: ReadonlyArray<string>
  readonly webhookPorts: ReadonlyArray<number>
  readonly webhookAllowHttp: boolean
  readonly webhookRetentionDays: number
  readonly encryptionKeys: string | undefined
  readonly isKeyLost: boolean
}

const fail = (variable: string, unfit?: string): never => {
  const row = settingRows.find((one) => one.variable === variable)!
  const culprit = unfit === undefined ? "" : `, and ${JSON.stringify(unfit)} is none that can be`
  throw new Error(`${variable} must be ${row.bounds}${culprit} (${row.description})`)
}

/**
 * Reads the settings from an environment; an empty variable counts as absent.
 *
 * @category models
 * @since 0.1.0
 */
export const readSettings = (
  environment: Readonly<Record<string, string | undefined>>
): ServerSettings => {
  const text = (variable: string): string => {
    const given = environment[variable]?.trim()
    return given !== undefined && given !== ""
      ? given
      : settingRows.find((row) => row.variable === variable)!.default
  }
  const integer = (variable: string, minimum: number, maximum: number): number => {
    const value = Number(text(variable))
    return Number.isInteger(value) && value >= minimum && value <= maximum ? value : fail(variable)
  }
  const list = (variable: string): ReadonlyArray<string> =>
    text(variable)
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
  const store = (): StoreSetting => {
    const url = text("DATABASE_URL")
    const connectionsMax = integer("CANDLEWICK_DATABASE_CONNECTIONS", 2, 200)
    if (url !== "") {
      return /^postgres(?:ql)?:\/\/\S+$/.test(url)
        ? { type: "postgres", url, connectionsMax }
        : fail("DATABASE_URL")
    }
    const directory = text("CANDLEWICK_DATA_DIR")
    return directory === ":memory:" ? { type: "memory" } : { type: "embedded", directory }
  }
  const apiKey = text("CANDLEWICK_API_KEY")
  if (apiKey !== "" && apiKey.length < 32) fail("CANDLEWICK_API_KEY")
  const allowHttp = text("CANDLEWICK_WEBHOOK_ALLOW_HTTP")
  if (allowHttp !== "true" && allowHttp !== "false") fail("CANDLEWICK_WEBHOOK_ALLOW_HTTP")
  const keyLost = text("CANDLEWICK_KEY_LOST")
  if (keyLost !== "true" && keyLost !== "false") fail("CANDLEWICK_KEY_LOST")
  const cidrs = list("CANDLEWICK_WEBHOOK_ALLOW_CIDRS")
  const unfit = findUnfitRange(cidrs)
  if (unfit !== undefined) fail("CANDLEWICK_WEBHOOK_ALLOW_CIDRS", unfit)
  const publicHosts = list("CANDLEWICK_PUBLIC_HOSTS")
  if (!publicHosts.every((host) => /^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/.test(host))) {
    fail("CANDLEWICK_PUBLIC_HOSTS")
  }
  const encryptionKeys = text("CANDLEWICK_ENCRYPTION_KEY")
  if (encryptionKeys !== "" && parseEncryptionKeys(encryptionKeys) === null) {
    fail("CANDLEWICK_ENCRYPTION_KEY")
  }
  const ports = list("CANDLEWICK_WEBHOOK_PORTS").map(Number)
  if (!ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535)) {
    fail("CANDLEWICK_WEBHOOK_PORTS")
  }
  return {
    store: store(),
    port: integer("PORT", 0, 65_535),
    host: text("HOST"),
    apiKey: apiKey === "" ? undefined : apiKey,
    replayRate: integer("CANDLEWICK_REPLAY_RATE", 1, 10_000),
    workers: text("CANDLEWICK_WORKERS") === "" ? undefined : integer("CANDLEWICK_WORKERS", 1, 64),
    runRetentionDays: integer("CANDLEWICK_RUN_RETENTION_DAYS", 0, 36_500),
    webhookAllowCidrs: cidrs,
    publicHosts,
    webhookPorts: ports,
    webhookAllowHttp: allowHttp === "true",
    webhookRetentionDays: integer("CANDLEWICK_WEBHOOK_RETENTION_DAYS", 1, 3_650),
    encryptionKeys: encryptionKeys === "" ? undefined : encryptionKeys,
    isKeyLost: keyLost === "true"
  }
}
