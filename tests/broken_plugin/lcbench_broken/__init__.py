"""Methods, streams and metrics that break the contract, each in one way. Lists which checks each of them fails."""
