# The server, from this repository. It keeps everything in the volume /data, or in DATABASE_URL.
#
#   docker build --tag candlewick .
#   docker run --publish 127.0.0.1:8080:8080 --volume candlewick:/data --ulimit nofile=8192 candlewick
#
# `npm run image:check` carries these steps out in a temporary folder, without Docker.

FROM node:24.21.0-bookworm-slim AS install
WORKDIR /candlewick
COPY . .
# What the server runs on, and the built dashboard.
RUN node scripts/setup.js --server

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV CANDLEWICK_DATA_DIR=/data/candlewick
WORKDIR /candlewick
COPY --from=install /candlewick /candlewick
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD node deploy/healthcheck.js
CMD ["node", "packages/http/src/main/serve.ts"]
