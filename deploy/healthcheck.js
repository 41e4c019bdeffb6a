/**
 * Ends with 0 where the server of this container answers; images of Node have no curl.
 */
const { CANDLEWICK_BASE_PATH = "", PORT = "8080" } = process.env
const answer = await fetch(`http://127.0.0.1:${PORT}${CANDLEWICK_BASE_PATH}/healthz`).catch(
  () => undefined
)
process.exitCode = answer?.ok === true ? 0 : 1
