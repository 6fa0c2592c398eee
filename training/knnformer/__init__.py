"""What training KNN-former is made of; the script is docpipe.training.train_knnformer."""
