/**
 * The environment variables of the server, one row each: the default, the schema that reads and
 * checks the variable, and its meaning.
 *
 * Bounds stand in the schemas alone. The page `docs/configuration.md` is printed from them; values
 * out of bounds stop the start, with a sentence for each that names its variable.
 *
 * @since 0.1.0
 */
import { parseEncryptionKeys } from "@candlewick/core"
import { findUnfitRange } from "@candlewick/webhooks"
import { Result } from "effect"
import { isAddressRange, isBasePath } from "../server/proxies.ts"
import {
  booleanSetting,
  integerSetting,
  integerBetween,
  numberSetting,
  listSetting,
  optionalSetting,
  readSetting,
  type SettingDefinition,
  textSetting,
  textWhere
} from "./settingKinds.ts"

/** Every environment variable that the server reads itself. */
const definitions = {
  port: {
    variable: "PORT",
    holds: integerSetting(0, 65_535, "0 takes a free one"),
    default: "8080",
    description: "Port that the server listens on."
  },
  host: {
    variable: "HOST",
    holds: textSetting("an address of this machine"),
    default: "127.0.0.1",
    description:
      "Address that the server listens on. Anything but loopback wants TLS in front of it."
  },
  apiKey: {
    variable: "CANDLEWICK_API_KEY",
    holds: optionalSetting(textSetting("32 characters or more", (key) => key.length >= 32)),
    default: "",
    description:
      "Admin key of the first account. Without it one is made on first start and printed once."
  },
  basePath: {
    variable: "CANDLEWICK_BASE_PATH",
    holds: optionalSetting(
      textSetting("a path such as /candlewick, without a slash at its end", isBasePath)
    ),
    default: "",
    description:
      "The beginning of paths for callers, where a proxy serves other things too. The server takes paths with it and without it, and answers with it."
  },
  trustedProxies: {
    variable: "CANDLEWICK_TRUSTED_PROXIES",
    holds: listSetting(
      "addresses, with a prefix length or without, separated by commas",
      textWhere(isAddressRange)
    ),
    default: "",
    description:
      "Proxies whose X-Forwarded-For and X-Forwarded-Prefix headers count. The server ignores these headers from other addresses."
  },
  directory: {
    variable: "CANDLEWICK_DATA_DIR",
    holds: textSetting("a directory that only this process uses, or :memory:"),
    default: "./data",
    description:
      "Where the embedded database is kept; made when it is not there. With :memory: everything is gone when the process ends."
  },
  databaseUrl: {
    variable: "DATABASE_URL",
    holds: optionalSetting(
      textSetting("postgres://user:password@host:port/database", (url) =>
        /^postgres(?:ql)?:\/\/\S+$/.test(url)
      )
    ),
    default: "",
    description:
      "PostgreSQL server, 14 or newer, to keep everything in instead of the embedded database."
  },
  connectionsMax: {
    variable: "CANDLEWICK_DATABASE_CONNECTIONS",
    holds: integerSetting(2, 200),
    default: "10",
    description: "Connections to the PostgreSQL server at most."
  },
  encryptionKeys: {
    variable: "CANDLEWICK_ENCRYPTION_KEY",
    holds: optionalSetting(
      textSetting(
        "base64 of 32 bytes; several, separated by commas",
        (keys) => parseEncryptionKeys(keys) !== null
      )
    ),
    default: "",
    description:
      "Seals webhook secrets, and answers kept for repetitions, at rest: the first key seals, all of them open. Without it a key is kept in the data directory (`encryption.key`), or, with DATABASE_URL, secrets are not sealed."
  },
  isKeyLost: {
    variable: "CANDLEWICK_KEY_LOST",
    holds: booleanSetting,
    default: "false",
    description:
      "Starts although no given key opens the secrets of some webhooks. Their deliveries fail until a caller rotates the secrets and sets their headers again."
  },
  webhookRetentionDays: {
    variable: "CANDLEWICK_WEBHOOK_RETENTION_DAYS",
    holds: integerSetting(1, 3_650),
    default: "30",
    description: "Days for which finished deliveries, their bodies and attempts are kept."
  },
  replayRate: {
    variable: "CANDLEWICK_REPLAY_RATE",
    holds: numberSetting(0.01, 10_000),
    default: "20",
    description: "Candles a second at which a paper bot replays a recording."
  },
  botsPerAccount: {
    variable: "CANDLEWICK_BOTS_PER_ACCOUNT",
    holds: integerSetting(1, 100_000),
    default: "500",
    description: "Bots that an account has at most."
  },
  readsPerMinute: {
    variable: "CANDLEWICK_READS_PER_MINUTE",
    holds: integerSetting(1, 10_000_000),
    default: "600",
    description:
      "Requests a minute of a key that read. All keys of an account together have five times as many, of each kind."
  },
  writesPerMinute: {
    variable: "CANDLEWICK_WRITES_PER_MINUTE",
    holds: integerSetting(1, 10_000_000),
    default: "120",
    description:
      "Requests a minute of a key that write. To create and start 500 bots at once takes 1000."
  },
  runsPerMinute: {
    variable: "CANDLEWICK_RUNS_PER_MINUTE",
    holds: integerSetting(1, 1_000_000),
    default: "20",
    description: "Runs that a key may start a minute."
  },
  workers: {
    variable: "CANDLEWICK_WORKERS",
    holds: optionalSetting(integerSetting(1, 64)),
    default: "",
    description:
      "Worker threads for runs. By default one less than there are processors, and at least one."
  },
  runRetentionDays: {
    variable: "CANDLEWICK_RUN_RETENTION_DAYS",
    holds: integerSetting(0, 36_500, "0 keeps them for ever"),
    default: "90",
    description: "Days after its end for which a backtest or an optimization is kept."
  },
  archivedBotRetentionDays: {
    variable: "CANDLEWICK_ARCHIVED_BOT_RETENTION_DAYS",
    holds: integerSetting(0, 36_500, "0 keeps them for ever"),
    default: "0",
    description:
      "Days after its deletion for which a bot's record, trades, orders, log and equity are kept."
  },
  mcpOrigins: {
    variable: "CANDLEWICK_MCP_ORIGINS",
    holds: listSetting(
      "origins such as https://example.com, separated by commas",
      textWhere((origin) => /^https?:\/\/[^/\s]+$/.test(origin))
    ),
    default: "",
    description:
      "Origins of the web pages that may speak to `/mcp`. Programs, which send no origin, always may with a key."
  },
  webhookAllowCidrs: {
    variable: "CANDLEWICK_WEBHOOK_ALLOW_CIDRS",
    holds: listSetting(
      "addresses with a prefix length, separated by commas",
      textWhere((range) => findUnfitRange([range]) === undefined)
    ),
    default: "",
    description:
      "Address ranges that webhooks may reach although they are not public, on any port. Loopback, link-local, metadata and multicast addresses must be named exactly (/32, /128)."
  },
  publicHosts: {
    variable: "CANDLEWICK_PUBLIC_HOSTS",
    holds: listSetting(
      "names or addresses, separated by commas; with :port for that port alone",
      textWhere((host) => /^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/.test(host))
    ),
    default: "",
    description:
      "Where callers reach this server, which webhooks may therefore never be sent to. The address that it listens on is always among them."
  },
  webhookPorts: {
    variable: "CANDLEWICK_WEBHOOK_PORTS",
    holds: listSetting("1 to 65535, separated by commas", integerBetween(1, 65_535)),
    default: "443,8443",
    description: "Ports that webhooks may reach on all other addresses."
  },
  webhookAllowHttp: {
    variable: "CANDLEWICK_WEBHOOK_ALLOW_HTTP",
    holds: booleanSetting,
    default: "false",
    description: "Whether webhook addresses may begin with http://."
  }
} as const satisfies Readonly<Record<string, SettingDefinition<unknown>>>

/** One environment variable. @category models @since 0.1.0 */
export interface SettingRow {
  readonly variable: string
  readonly kind: "integer" | "number" | "text" | "boolean" | "list"
  readonly default: string
  readonly bounds: string
  readonly description: string
}

/** Every environment variable, as the page shows it. @category tables @since 0.1.0 */
export const settingRows: ReadonlyArray<SettingRow> = Object.values(definitions).map(
  ({ holds, ...rest }) => ({ ...rest, kind: holds.kind, bounds: holds.bounds })
)

type Name = keyof typeof definitions

type Values = {
  readonly [N in Name]: (typeof definitions)[N] extends SettingDefinition<infer A> ? A : never
}

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
export interface ServerSettings extends Omit<
  Values,
  "connectionsMax" | "databaseUrl" | "directory"
> {
  readonly store: StoreSetting
}

const storeOf = ({ connectionsMax, databaseUrl: url, directory }: Values): StoreSetting => {
  if (url !== undefined) return { type: "postgres", url, connectionsMax }
  return directory === ":memory:" ? { type: "memory" } : { type: "embedded", directory }
}

/**
 * Reads the settings from an environment; an empty variable counts as absent. Throws one error that
 * names every variable whose value can't be.
 *
 * @category models
 * @since 0.1.0
 */
export const readSettings = (
  environment: Readonly<Record<string, string | undefined>>
): ServerSettings => {
  const faults: Array<string> = []
  const values: Partial<Record<Name, unknown>> = {}
  for (const [name, definition] of Object.entries(definitions)) {
    const read = readSetting<unknown>(definition, environment[definition.variable])
    if (Result.isFailure(read)) faults.push(read.failure)
    else values[name as Name] = read.success
  }
  if (faults.length > 0) throw new Error(faults.join("\n"))
  const { connectionsMax, databaseUrl, directory, ...rest } = values as Values
  return { ...rest, store: storeOf({ ...rest, connectionsMax, databaseUrl, directory }) }
}
