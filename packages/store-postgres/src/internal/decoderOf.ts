/**
 * How records that were written before are read.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * Reads a record as its schema says, without the checks that were made before it was written. So a
 * limit that is narrowed later leaves stored records readable.
 *
 * @category models
 * @since 0.1.0
 */
export const decoderOf = <A>(schema: Schema.Decoder<A>): ((record: unknown) => A) =>
  Schema.decodeUnknownSync(schema, { disableChecks: true })
