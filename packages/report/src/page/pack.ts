/**
 * Numbers as short texts, which the script of the page reads back.
 *
 * @since 0.1.0
 */

const bytesToText = (bytes: Uint8Array): string => {
  let text = ""
  for (let from = 0; from < bytes.length; from += 8_192) {
    text += String.fromCharCode(...bytes.subarray(from, from + 8_192))
  }
  return btoa(text)
}

/** Numbers as 32-bit floats. @category conversions @since 0.1.0 */
export const packFloats = (values: ArrayLike<number>): string =>
  bytesToText(new Uint8Array(Float32Array.from(values).buffer))

/** Times as seconds. @category conversions @since 0.1.0 */
export const packTimes = (times: ArrayLike<number>): string =>
  bytesToText(new Uint8Array(Uint32Array.from(times, (time) => time / 1_000).buffer))

/** Data as JSON that no `</script>` ends early. @category conversions @since 0.1.0 */
export const packJson = (data: unknown): string => JSON.stringify(data).replaceAll("<", "\\u003c")
