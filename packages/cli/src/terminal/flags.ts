/**
 * The flags that each command takes, wherever they stand in the line.
 *
 * @since 0.1.0
 */
import { Flag, GlobalFlag } from "effect/cli"

/** The server to call. @category flags @since 0.1.0 */
export const UrlFlag = GlobalFlag.Setting("url")({
  flag: Flag.String("url").pipe(
    Flag.withDescription("A server to work on, by its URL (CANDLEWICK_URL)"),
    Flag.optional
  )
})

/** The key of the server. @category flags @since 0.1.0 */
export const KeyFlag = GlobalFlag.Setting("key")({
  flag: Flag.Redacted("key").pipe(
    Flag.withDescription(
      "The key of the server; the environment keeps it out of lists of processes (CANDLEWICK_KEY)"
    ),
    Flag.optional
  )
})

/** The data directory, where no server is named. @category flags @since 0.1.0 */
export const DataFlag = GlobalFlag.Setting("data")({
  flag: Flag.String("data").pipe(
    Flag.withDescription(
      "The data directory to work on without a server (CANDLEWICK_DATA_DIR, else ./data)"
    ),
    Flag.optional
  )
})

/** Whether results are JSON. @category flags @since 0.1.0 */
export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON document, or one a line where results stream"),
    Flag.withDefault(false)
  )
})

/** The flags that each command takes. @category flags @since 0.1.0 */
export const sharedFlags = [UrlFlag, KeyFlag, DataFlag, JsonFlag] as const
