# Rowferry's image: operator and worker. The offline build (dev/image) makes the same image without Docker: it reads this
# file's last stage, and both install dev/image/recipes/app. Keep to what dev/image/dockerfile.ts understands there.

FROM debian:sid-slim AS root
COPY dev/image/recipes/app/packages dev/image/recipes/app/steps.sh dev/image/recipes/trim.sh /recipe/
RUN apt-get update \
 && apt-get install -y --no-install-recommends $(cat /recipe/packages) \
 && sh /recipe/steps.sh

FROM node:24-slim AS build
WORKDIR /rowferry
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM scratch
COPY --from=root / /
COPY --from=build /rowferry/node_modules/node/bin/node /usr/bin/node
COPY --from=build /rowferry/dist /app
ENV PATH=/usr/lib/postgresql/18/bin:/usr/bin
ENV NODE_ENV=production
ENV LC_ALL=C.UTF-8
USER 65532:65532
WORKDIR /app
ENTRYPOINT ["node"]
CMD ["/app/operator.js"]
