/**
 * Runs on Effect Cluster over the database. The owner of a run is a record too, and a process that
 * takes up another's run reads it from there.
 *
 * This file and those beside it that tell runners apart, reset their messages and forget them are
 * all that knows Effect Cluster.
 *
 * @since 0.1.0
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { RunEngine } from "@candlewick/core"
import { Clock, Effect, Layer, Option } from "effect"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { distinctRunners } from "./distinctRunners.ts"
import { forgetOldMessages } from "./forgetOldMessages.ts"
import { steadyMessages } from "./steadyMessages.ts"

/** How the engine is set up. @category models @since 0.1.0 */
export interface ClusterRunEngineOptions {
  /**
   * Whether other processes may be on the database, so that the owners of runs are locked there. An
   * embedded one has this process only.
   */
  readonly isShared: boolean
}

const config = Layer.unwrap(
  Effect.sync(() =>
    ShardingConfig.layer({
      // A name and no address: runners hear of one another from the database alone.
      runnerAddress: Option.some(RunnerAddress.make(crypto.randomUUID(), 0)),
      shardLockRefreshInterval: "1 second",
      shardLockExpiration: "4 seconds",
      refreshAssignmentsInterval: "500 millis",
      entityMessagePollInterval: "1 second",
      // Another process, or the next one, goes on with runs that are cut off.
      entityTerminationTimeout: "1 second"
    })
  )
)

const sharedRunners = () => distinctRunners(Layer.orDie(SqlRunnerStorage.layer))

const onlyRunner = () => ({ layer: RunnerStorage.layerMemory, untilRegistered: Effect.void })

/** The parts of `SingleRunner`, but for the environment, whose names mean other things here. */
const runner = ({ isShared }: ClusterRunEngineOptions) => {
  const { layer, untilRegistered } = isShared ? sharedRunners() : onlyRunner()
  return Layer.effectDiscard(untilRegistered).pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provideMerge(steadyMessages),
    Layer.provide([layer, RunnerHealth.layerNoop]),
    Layer.provide(config),
    Layer.provide(NodeCrypto.layerDigest)
  )
}

const cleaning = Layer.effectDiscard(
  Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(Clock.currentTimeMillis, forgetOldMessages).pipe(
        Effect.catch((error) => Effect.logWarning("old messages could not be removed", error)),
        Effect.andThen(Effect.sleep("1 hour"))
      )
    )
  )
)

/**
 * A `RunEngine` over the `SqlClient` that is provided.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: ClusterRunEngineOptions) =>
  RunEngine.layer.pipe(
    Layer.provide(ClusterWorkflowEngine.layer),
    Layer.merge(cleaning),
    Layer.provide(runner(options))
  )
