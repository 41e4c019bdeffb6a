/**
 * The values that a host in the documentation has already. Its programs are checked and not run.
 */
import type { Candlewick, MarketData, StorePorts, Venue } from "@candlewick/core"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { CodedStrategy } from "@candlewick/core/research"
import type { Layer } from "effect"

export declare const MyCandles: { readonly layer: Layer.Layer<MarketData> }
export declare const candlewick: Awaited<ReturnType<typeof Candlewick.open>>
export declare const crossing: CodedStrategy
export declare const key: string
export declare const makeMyVenue: (keyOrUrl: string) => Venue
export declare const store: Layer.Layer<StorePorts, Error>
export declare const strategy_id: string
export declare const page: (...words: ReadonlyArray<string | null>) => Promise<void>
export declare const secret: string
export declare const request: Request
export declare const rawBody: Uint8Array
export declare const apiKey: string
export declare const express: () => {
  readonly use: (
    path: string,
    handler: (request: IncomingMessage, response: ServerResponse) => void
  ) => { readonly listen: (port: number) => void }
}
