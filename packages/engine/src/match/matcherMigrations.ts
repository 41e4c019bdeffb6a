/**
 * Bytes of matchers that an engine with another layout wrote, brought to today's.
 *
 * A change of the layout raises `matcherVersion` and adds a step here, in one commit. A step lays
 * the bytes of its version out as the next version has them. It has constants of its own, for
 * `matcherLayout.ts` describes the latest layout alone.
 *
 * @since 0.1.0
 */
import { matcherMagic, matcherVersion } from "./matcherCodes.ts"
import { magicAt, versionAt } from "./matcherLayout.ts"

/** Lays a matcher out as the next version has it. */
export type MatcherMigration = (bytes: Uint8Array) => Uint8Array

/** Steps by the version that each takes. */
export type MatcherMigrations = Readonly<Record<number, MatcherMigration>>

/** No released engine has written another layout. */
export const matcherMigrations: MatcherMigrations = {}

const view = ({ buffer, byteLength, byteOffset }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/**
 * The bytes as the latest version that the steps lead to has them; bytes that are no matcher stay
 * as they are.
 */
export const migrateMatcher = (
  bytes: Uint8Array,
  migrations: MatcherMigrations = matcherMigrations
): Uint8Array => {
  if (bytes.length < versionAt + 4 || view(bytes).getInt32(magicAt, true) !== matcherMagic)
    return bytes
  let migrated = bytes
  for (let version = view(bytes).getInt32(versionAt, true); version < matcherVersion; version++) {
    const migrate = migrations[version]
    if (migrate === undefined) return migrated
    migrated = migrate(migrated.slice())
    view(migrated).setInt32(versionAt, version + 1, true)
  }
  return migrated
}
