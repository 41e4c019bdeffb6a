/**
 * Where the first page of a list begins.
 *
 * @since 0.1.0
 */

/**
 * A text that sorts after every id, so that the first page asks for `id < …` as the others do. That
 * is one statement, which an index answers, however it is planned.
 *
 * @category tables
 * @since 0.1.0
 */
export const afterEveryId = "~"
