"""Raw data of streams: found in folders, downloaded, verified and cached."""
