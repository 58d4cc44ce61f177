// The images in the form that a kind of cluster takes.
import type { ClusterKind, LoadableImage } from "../cluster/index.ts";
import { processImages } from "../cluster/processes/images.ts";
import { buildImagesByDocker } from "./docker.ts";
import { type BuildOptions, buildDemoImages, type DemoImages } from "./index.ts";

export type ClusterImage = LoadableImage & { ref: string };

/**
 * The images of the demo: by the Docker engine for a cluster in Docker, where the databases' are the official ones; as
 * folders for a cluster of processes; else by recipes.
 */
export const demoImagesFor = (
  kind: ClusterKind,
  options: BuildOptions,
): Promise<Record<keyof DemoImages, ClusterImage>> => {
  if (kind === "processes") return processImages(options);
  return kind === "kind" ? buildImagesByDocker(["app", "mysql", "postgres"], options) : buildDemoImages(options);
};
