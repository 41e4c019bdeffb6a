/** The packages run as they are: they start threads, and open data directories. */
export default {
  serverExternalPackages: ["@candlewick/core", "@candlewick/http", "@candlewick/store-memory"]
}
