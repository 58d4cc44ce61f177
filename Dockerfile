# Rowferry's image: operator and worker. The offline build (dev/image) makes the same image without Docker: it reads this
# file's last stage, and both install dev/image/recipes/app. Keep to what dev/image/dockerfile.ts understands there.

ARG DEBIAN_IMAGE=debian:sid-slim@sha256:17d1843dae9ca66f1617c1e464f40d06059ccefb0c606e8b54687f253af1684e
ARG NODE_IMAGE=node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${DEBIAN_IMAGE} AS root
COPY dev/image/recipes/app/packages dev/image/recipes/app/steps.sh dev/image/recipes/trim.sh /recipe/
RUN apt-get update \
 && apt-get install -y --no-install-recommends $(cat /recipe/packages) \
 && sh /recipe/steps.sh

FROM ${NODE_IMAGE} AS node

FROM node AS build
WORKDIR /rowferry
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM scratch
COPY --from=root / /
COPY --from=node /usr/local/bin/node /usr/bin/node
COPY --from=build /rowferry/dist /app
ENV PATH=/usr/lib/postgresql/18/bin:/usr/bin
ENV NODE_ENV=production
ENV LC_ALL=C.UTF-8
# The C library gives freed memory back, and keeps no pool of it for each thread: a worker's limit is small.
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_TRIM_THRESHOLD_=131072
USER 65532:65532
WORKDIR /app
ENTRYPOINT ["node"]
CMD ["/app/operator.js"]
