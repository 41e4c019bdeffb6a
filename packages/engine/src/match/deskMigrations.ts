/**
 * Bytes of desks that an engine with another layout wrote, brought to today's.
 *
 * A change of the layout raises `deskVersion` and adds a step here, in one commit. A step lays the
 * bytes of its version out as the next version has them. It has constants of its own, for
 * `deskLayout.ts` describes the latest layout alone.
 *
 * @since 0.1.0
 */
import { deskMagic, deskVersion } from "./deskCodes.ts"
import { magicAt, versionAt } from "./deskLayout.ts"

/** Lays a desk out as the next version has it. */
export type DeskMigration = (bytes: Uint8Array) => Uint8Array

/** Steps by the version that each takes. */
export type DeskMigrations = Readonly<Record<number, DeskMigration>>

/** No released engine has written another layout. */
export const deskMigrations: DeskMigrations = {}

const view = ({ buffer, byteLength, byteOffset }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/**
 * The bytes as the latest version that the steps lead to has them; bytes that are no desk stay as
 * they are.
 */
export const migrateDesk = (
  bytes: Uint8Array,
  migrations: DeskMigrations = deskMigrations
): Uint8Array => {
  if (bytes.length < versionAt + 4 || view(bytes).getInt32(magicAt, true) !== deskMagic)
    return bytes
  let migrated = bytes
  for (let version = view(bytes).getInt32(versionAt, true); version < deskVersion; version++) {
    const migrate = migrations[version]
    if (migrate === undefined) return migrated
    migrated = migrate(migrated.slice())
    view(migrated).setInt32(versionAt, version + 1, true)
  }
  return migrated
}
