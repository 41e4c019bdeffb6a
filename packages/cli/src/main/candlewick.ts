#!/usr/bin/env node
/**
 * The program `candlewick` exits with 0 when done, 1 when refused or failed, and 2 on wrong use. It
 * exits with 3 where it can't reach a server or open a store.
 *
 * @since 0.1.0
 */
import { keepCompiled } from "@candlewick/http/compiled"

keepCompiled()
const { runCommandLine } = await import("./runCommandLine.ts")

runCommandLine()
