// The images in the form that a kind of cluster takes: by the Docker engine for a cluster in Docker, where the databases'
// are the official ones; as folders for a cluster of processes; else by recipes.
import type { ClusterKind, LoadableImage } from "../cluster/index.ts";
import { processImages } from "../cluster/processes/images.ts";
import { buildImagesByDocker } from "./docker.ts";
import { type BuildOptions, buildDemoImages, buildImages, type DemoImages, type Images } from "./index.ts";

export type ClusterImage = LoadableImage & { ref: string };

/** The images of the demo. */
export const demoImagesFor = (
  kind: ClusterKind,
  options: BuildOptions,
): Promise<Record<keyof DemoImages, ClusterImage>> => {
  if (kind === "processes") return processImages(options);
  return kind === "kind" ? buildImagesByDocker(["app", "mysql", "postgres"], options) : buildDemoImages(options);
};

/** The images of the demo, and those of the other servers that tests use. */
export const imagesFor = (kind: ClusterKind, options: BuildOptions): Promise<Record<keyof Images, ClusterImage>> =>
  kind === "kind"
    ? buildImagesByDocker(["app", "mysql", "postgres", "mariadb", "postgresOld"], options)
    : buildImages(options);
