/**
 * Export of traces, metrics and log lines by OTLP, where the environment names a collector.
 *
 * The variables are OpenTelemetry's own, so that one collector's settings serve all programs.
 *
 * @since 0.1.0
 */
import { ConfigProvider, Layer } from "effect"
import { FetchHttpClient, HttpMiddleware } from "effect/http"
import { Otlp, type OtlpExporter, OtlpSerialization } from "effect/observability"

type Environment = Readonly<Record<string, string | undefined>>

const isSet = (environment: Environment): boolean =>
  Object.entries(environment).some(
    ([name, value]) => /^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/.test(name) && (value ?? "") !== ""
  )

/** The path of a signal is a key, and a trace would reveal it to the collector. */
const withoutKeys = Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) =>
  url.includes("/signals/")
)

/** An endpoint asks for all three, as OpenTelemetry has it; Effect wants each named. */
const exporters = {
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp"
}

const withDefaults = (environment: Environment): Record<string, string> => {
  const given = Object.entries(environment).filter(([, value]) => (value ?? "") !== "")
  return { ...exporters, ...(Object.fromEntries(given) as Record<string, string>) }
}

/**
 * Exports as the environment says; without an endpoint it exports nothing, and no span is made.
 *
 * @category layers
 * @since 0.1.0
 */
export const telemetry = (
  environment: Environment
): Layer.Layer<OtlpExporter.Flusher> | Layer.Layer<never> => {
  if (!isSet(environment)) return Layer.empty
  const isJson = environment["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json"
  const serviceName = environment["OTEL_SERVICE_NAME"] ?? "candlewick"
  return Otlp.layerFromConfig({
    resource: { serviceName },
    // Lines go to standard output besides.
    loggerMergeWithExisting: true
  }).pipe(
    Layer.merge(withoutKeys),
    Layer.provide(isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: withDefaults(environment) })))
  )
}
