// The images in the form that a kind of cluster takes.
import type { ClusterKind, LoadableImage } from "../cluster/index.ts";
import { processImages } from "../cluster/processes/images.ts";
import { buildImagesByDocker } from "./docker.ts";
import { type BackupImages, type BuildOptions, buildDemoImagesWithBackups, type DemoImages } from "./index.ts";

export type ClusterImage = LoadableImage & { ref: string };

export type ClusterImages = Record<keyof DemoImages, ClusterImage> & Partial<Record<keyof BackupImages, ClusterImage>>;

/**
 * The images of the demo, with those of its backups where the cluster can run them: by the Docker engine for a cluster in Docker, where the databases' are the official ones; as
 * folders for a cluster of processes; else by recipes.
 */
export const demoImagesFor = (kind: ClusterKind, options: BuildOptions): Promise<ClusterImages> => {
  if (kind === "processes") return processImages(options);
  return kind === "kind"
    ? buildImagesByDocker(["app", "mysql", "postgres"], options)
    : buildDemoImagesWithBackups(options);
};
